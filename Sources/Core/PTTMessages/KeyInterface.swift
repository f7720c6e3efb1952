/// `org.pushtotalk.Key` on ptt-keys' socket: its methods and their messages.
package enum KeyInterface {
    package static let name = "org.pushtotalk.Key"
    /// One for the machine.
    package static let socket = "/run/pushtotalk/keys"
    /// The keys that root has granted, one in a line. Only root can write it.
    package static let grants = "/etc/pushtotalk/keys"
    /// In bytes.
    package static let grantLimit = 16 * 1024

    package static let offer = InterfaceMethod<OfferRequest, NoParameters>("Offer", of: name)
    package static let press = InterfaceMethod<KeyRequest, NoParameters>("Press", of: name)
    package static let release = InterfaceMethod<KeyRequest, NoParameters>("Release", of: name)

    /// The names in the text of ``grants``, in their order.
    package static func grantedKeys(_ text: String) -> [String] {
        text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { String($0) }
    }

    package struct OfferRequest: Equatable, Codable, Sendable {
        /// More than there are keys.
        package static let limit = 1024

        /// The kernel's names, at most ``limit``.
        package let keys: [String]

        package init(keys: [String]) {
            self.keys = keys
        }
    }

    package struct KeyRequest: Equatable, Codable, Sendable {
        package let key: String

        package init(key: String) {
            self.key = key
        }
    }

    /// The error of all methods; it has a `reason` for people.
    package static let notOffered = "\(name).NotOffered"
}
