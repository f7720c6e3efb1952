import PTTMessages

/// Every reason for which a push is rejected.
extension PushRejection {
    static let badToken = PushRejection(.badDeviceToken, "no channel has this push token")

    static let unregistered = PushRejection(
        .unregistered,
        "the channel of this push token is no longer joined, or not yet"
    )

    static let shuttingDown = PushRejection(.unknown, "pttd is shutting down")

    static let notAttached = PushRejection(
        .unregistered,
        "the application of the channel joined without attaching, and receives no pushes"
    )

    static let payloadTooLarge = PushRejection(
        .payloadTooLarge,
        "the payload is larger than \(PushInterface.SendRequest.longestPayload) bytes"
    )

    static let overBudget = PushRejection(
        .tooManyRequests,
        "\(PushBudget.size) service updates of high priority came within the hour: use a priority of 5 or less"
    )

    static let tooManyWaiting = PushRejection(
        .tooManyRequests,
        "\(WaitingPush.limit) pushes already wait for the application"
    )

    static func badType(_ type: String) -> PushRejection {
        PushRejection(.invalidPushType, "the push type is \(type.traced), it must be \"pushtotalk\"")
    }

    static func badTopic(_ topic: String, expected: String) -> PushRejection {
        PushRejection(
            .deviceTokenNotForTopic,
            "the topic is \(topic.traced), this token is for \(expected.traced)"
        )
    }

    static func badPayload(_ reason: String) -> PushRejection {
        PushRejection(.badPayload, "the payload cannot be used: \(reason)")
    }

    /// Throws if the priority or the expiration of a push is not accepted.
    static func checkTiming(
        of request: PushInterface.SendRequest,
        _ kind: PushKind,
        arrived: Int
    ) throws(PushRejection) {
        switch kind {
        case .serviceUpdate:
            if !(1...10).contains(request.priority) {
                throw PushRejection(.badPriority, "the priority is \(request.priority), it must be 1 to 10")
            }
            if request.expiration != 0, request.expiration <= arrived {
                throw PushRejection(.badExpirationDate, "the push has expired")
            }
        case .pushToTalk, .unknown:
            if request.priority != 10 {
                throw PushRejection(.badPriority, "the priority is \(request.priority), it must be 10")
            }
            if request.expiration != 0 {
                let reason = "the expiration is \(request.expiration), it must be 0: now or never"
                throw PushRejection(.badExpirationDate, reason)
            }
        }
    }
}
