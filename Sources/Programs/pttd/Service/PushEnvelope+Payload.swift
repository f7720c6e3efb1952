import JSON
import PTTCore

extension PushEnvelope.Content {
    /// Parses the payload. Apple's push service carries JSON and delivers property lists, which have no null.
    static func parsed(_ payload: String) -> Self {
        let value: JSON
        do {
            value = try JSON(parsing: payload)
        } catch {
            return .unusable(reason: "\(error)")
        }
        guard let object = value.object else { return .unusable(reason: "it is not a JSON object") }
        if value.holdsNull { return .unusable(reason: "it holds null, which a property list cannot") }
        let kind = object["aps"]?.object?["ptt-push-type"]?.string
        return .readable(isServiceUpdate: kind == "service-update")
    }
}

extension JSON {
    fileprivate var holdsNull: Bool {
        switch self {
        case .null: true
        case .bool, .int, .double, .string: false
        case .array(let elements): elements.contains { $0.holdsNull }
        case .object(let object): object.members.contains { $0.value.holdsNull }
        }
    }
}
