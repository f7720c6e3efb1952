import JSON
import PTTCore

extension PushEnvelope.Content {
    /// Parses the payload. Apple's push service carries JSON and delivers property lists, which have no null.
    init(payload: String) {
        let value: JSON
        do {
            value = try JSON(parsing: payload)
        } catch {
            self = .unusable(reason: "\(error)")
            return
        }
        guard let object = value.object else {
            self = .unusable(reason: "it is not a JSON object")
            return
        }
        guard !value.holdsNull else {
            self = .unusable(reason: "it holds null, which a property list cannot")
            return
        }
        let kind = object["aps"]?.object?["ptt-push-type"]?.string
        self = .readable(isServiceUpdate: kind == "service-update")
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
