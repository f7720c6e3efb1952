/// `org.pushtotalk.Action` on ptt-actions' socket: its methods and their messages.
package enum ActionInterface {
    package static let name = "org.pushtotalk.Action"

    package static let press = InterfaceMethod<PressRequest, PressReply>("Press", of: name)
    package static let subscribe = InterfaceMethod<NoParameters, Update>("Subscribe", of: name)

    package struct PressRequest: Equatable, Codable, Sendable {
        /// In bytes, of each text.
        package static let longest = 512

        /// Of the ``Origin`` of the device.
        package let identifier: String
        package let name: String
        /// The identifier of its accessory file.
        package let accessory: String
        package let role: ButtonRole

        package init(identifier: String, name: String, accessory: String, role: ButtonRole) {
            self.identifier = identifier
            self.name = name
            self.accessory = accessory
            self.role = role
        }
    }

    package struct PressReply: Equatable, Codable, Sendable {
        package let event: Event

        package init(event: Event) {
            self.event = event
        }
    }

    /// One reply to `Subscribe`; the first has no event.
    package struct Update: Equatable, Codable, Sendable {
        /// Microseconds of the monotonic clock.
        package let time: Int
        package let event: Event?

        package init(time: Int, event: Event?) {
            self.time = time
            self.event = event
        }
    }

    package enum EventKind: String, WireEnum {
        case unknown
        /// The action of a press runs.
        case began
        /// The command of its release has ended.
        case ended
    }

    package struct Event: Equatable, Codable, Sendable {
        package let kind: EventKind
        package let identifier: String
        package let name: String
        package let role: ButtonRole
        /// A text for people about the command, the key or the recording.
        package let command: String
        /// Why it failed; nil if all is well.
        package let remark: String?

        package init(
            _ kind: EventKind,
            identifier: String,
            name: String,
            role: ButtonRole,
            command: String,
            remark: String? = nil
        ) {
            self.kind = kind
            self.identifier = identifier
            self.name = name
            self.role = role
            self.command = command
            self.remark = remark
        }
    }

    /// The error of `Press`; it has a `reason` for people.
    package static let notBegun = "\(name).NotBegun"
}
