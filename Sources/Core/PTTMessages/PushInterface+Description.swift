extension PushInterface {
    /// The interface text that `org.varlink.service.GetInterfaceDescription` answers with.
    package static let description = """
        # Messages from outside to the application that holds the channel. Whoever has the push token may send.
        #
        # Published versions of this interface are never changed incompatibly; fields may be added, and a client
        # must accept values that it does not know.
        interface org.pushtotalk.Push

        # The reasons of Apple's push service.
        type RejectionCode (unknown, badDeviceToken, unregistered, deviceTokenNotForTopic, invalidPushType,
          badPriority, badExpirationDate, payloadTooLarge, badPayload, tooManyRequests)

        # token: what the application was given for its channel. topic: the identifier of the application and
        # ".voip-ptt". type: "pushtotalk". priority: 1 to 10; a push that is not a service update must have 10.
        # expiration: seconds since 1970, or 0 for now or never. payload: text of a JSON object without null, at most
        # 5120 bytes. It is a service update if its "aps" has "ptt-push-type": "service-update"; of these six with
        # a priority above 5 are accepted in an hour. A push starts an application that is not running, if it said how,
        # and is never delivered later than that. What becomes of it is told to the subscribers of
        # org.pushtotalk.Channel.
        method Send(token: string, topic: string, type: string, priority: int, expiration: int, payload: string) ->
          (pushID: int)

        error Rejected (code: RejectionCode, reason: string)
        """
}
