/// `org.pushtotalk.Push` on the core's socket: its methods and their messages.
package enum PushInterface {
    package static let name = "org.pushtotalk.Push"

    package static let send = InterfaceMethod<SendRequest, SendReply>("Send", of: name)

    package struct SendRequest: Equatable, Codable, Sendable {
        /// In bytes: the limit of Apple's push service for voice.
        package static let longestPayload = 5120

        package let token: PushToken
        package let topic: String
        package let type: String
        package let priority: Int
        /// Seconds since 1970; 0: the push is delivered now or not at all.
        package let expiration: Int
        /// A JSON object as text.
        package let payload: String

        package init(
            token: PushToken,
            topic: String,
            type: String,
            priority: Int,
            expiration: Int,
            payload: String
        ) {
            self.token = token
            self.topic = topic
            self.type = type
            self.priority = priority
            self.expiration = expiration
            self.payload = payload
        }
    }

    package struct SendReply: Equatable, Codable, Sendable {
        package let pushID: PushID

        package init(pushID: PushID) {
            self.pushID = pushID
        }
    }

    /// The error that carries a ``PushRejection``.
    package static let rejected = "\(name).Rejected"
}
