/// `org.pushtotalk.Push` on the core's socket: the text of the interface, its methods and their messages.
package enum PushInterface {
    package static let name = "org.pushtotalk.Push"

    /// The interface text, the reply to `org.varlink.service.GetInterfaceDescription`.
    package static let description = """
        # Messages from a server to the application that holds the channel. Any process with the push token may send.
        #
        # Published versions of this interface are never changed incompatibly; fields may be added, and a client must
        # accept values that it does not know.
        interface \(name)

        \(PushRejectionCode.declaration)

        # token: the push token that the application received for its channel. topic: the identifier of the application
        # and ".voip-ptt". type: "pushtotalk". priority: 1 to 10; a push that is not a service update must have 10.
        # expiration: seconds since 1970, or 0: deliver now or not at all. payload: the text of a JSON object without
        # null, at most \(SendRequest.longestPayload) bytes. The push is a service update if its "aps" has "ptt-push-type": "service-update"; of
        # these, six with a priority above 5 are accepted in an hour. A push starts an application that is not running,
        # if it attached with an activation, and is never delivered later than that. Subscribers of
        # org.pushtotalk.Channel receive its outcome.
        method Send(token: string, topic: string, type: string, priority: int, expiration: int, payload: string) ->
          (pushID: int)

        error Rejected (code: RejectionCode, reason: string)
        """

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
