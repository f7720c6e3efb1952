import JSON
import PTTMessages
import Varlink

// An application may number its calls; the number comes beside the members that a request has without it.

extension VarlinkCall {
    private static let key = "callID"

    var callID: CallID? {
        guard case .int(let number)? = parameters[Self.key] else { return nil }
        return Int(exactly: number).map { CallID(rawValue: $0) }
    }

    /// Whether the answer says only that the call was carried out.
    var answersNothing: Bool { !["Join", "BeginTransmitting"].contains(method) }

    /// The parameters without the number of the call.
    func request<Request: Decodable>() throws(VarlinkError) -> Request {
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
