import JSON
import PTTMessages
import Varlink

// An application may number its calls. The number is one more member among the parameters of a request.

extension VarlinkCall {
    private static let key = "callID"

    var callID: CallID? {
        guard case .int(let number)? = parameters[Self.key] else { return nil }
        return Int(exactly: number).map { CallID(rawValue: $0) }
    }

    /// The other parameters as a value.
    func decodeWithoutCallID<Request: Decodable>() throws(VarlinkError) -> Request {
        guard parameters[Self.key] != nil else { return try decode() }
        guard callID != nil else { throw .invalidParameter(Self.key) }
        var members = parameters
        members[Self.key] = nil
        do throws(JSONDecodingError) {
            return try members.decode()
        } catch {
            throw .invalidParameter(error.path)
        }
    }
}
