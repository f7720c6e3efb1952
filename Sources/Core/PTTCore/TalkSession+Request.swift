package import PTTMessages

extension TalkSession {
    /// A call of a client, named by its method.
    package enum Request: Equatable, Codable, Sendable {
        // MARK: org.pushtotalk.Application

        /// - Parameters:
        ///   - processID: The caller's, for display.
        ///   - newToken: For a channel that is yet to be joined.
        case attach(ApplicationInterface.AttachRequest, processID: Int, newToken: PushToken)
        case setForeground(ApplicationInterface.ForegroundRequest)
        case setServiceStatus(ApplicationInterface.ServiceStatusRequest)
        case setTransmissionMode(ApplicationInterface.TransmissionModeRequest)
        case setAccessoryEvents(ApplicationInterface.AccessoryEventsRequest)
        case setParticipant(ApplicationInterface.ParticipantRequest)
        case finishPush(ApplicationInterface.FinishPushRequest)

        // MARK: org.pushtotalk.Channel

        /// - Parameters:
        ///   - processID: The caller's, for display.
        ///   - newChannelID: For a request that names no channel.
        ///   - newToken: For an application that has none from its attachment.
        case join(
            ChannelInterface.JoinRequest,
            processID: Int,
            newChannelID: ChannelID,
            newToken: PushToken
        )
        case leave(ChannelInterface.LeaveRequest)
        case setDescriptor(ChannelInterface.DescriptorRequest)
        case begin(ChannelInterface.BeginRequest)
        case end(ChannelInterface.EndRequest)
    }

    package enum Answer: Equatable, Sendable {
        /// - Parameter isApplication: Whether the client is the channel's application and needs a token for frames.
        ///   One that is attached has it already. The push token is nil for who is told of no pushes.
        case joined(ChannelID, AudioFormat, PushToken?, isApplication: Bool)
        /// Whatever is published and told from now on goes to this client too.
        case attached(
            PushToken,
            AudioFormat,
            ApplicationInterface.Restored?,
            left: ApplicationInterface.Left?,
            isForeground: Bool
        )
        case done
        case began(TransmissionID)
        case accepted(PushID)
        case refused(Refusal)
        case rejected(PushRejection)
    }

    /// - Returns: Nil if the answer is given later.
    mutating func answer(
        _ request: Request,
        _ requestID: RequestID,
        from client: ClientID,
        _ turn: inout Turn
    ) -> Answer? {
        switch request {
        case .attach(let request, let processID, let newToken):
            attach(client, processID, request, newToken, &turn)
        case .setForeground(let request): setForeground(client, request)
        case .setServiceStatus(let request): setServiceStatus(client, request, &turn)
        case .setTransmissionMode(let request): setTransmissionMode(client, request, &turn)
        case .setAccessoryEvents(let request): setAccessoryEvents(client, request, &turn)
        case .setParticipant(let request): setParticipant(requestID, client, request, &turn)
        case .finishPush(let request): finishPush(client, request, &turn)
        case .join(let request, let processID, let newChannelID, let newToken):
            join(client, processID, request, newChannelID, newToken, &turn)
        case .leave(let request): leave(client, request.channelID, &turn)
        case .setDescriptor(let request): setDescriptor(client, request, &turn)
        case .begin(let request): begin(client, request, &turn)
        case .end(let request): end(client, request, &turn)
        }
    }
}

// In traces.
extension TalkSession.Answer: CustomStringConvertible {
    package var description: String {
        switch self {
        case .joined(let channelID, let format, let token, let isApplication):
            words(
                "joined \(channelID) \(traced(format))",
                isApplication ? "application" : nil,
                token.map { "token \(traced($0))" }
            )
        case .attached(let token, let format, let restored, let left, let isForeground):
            words(
                "attached token \(traced(token)) \(traced(format))",
                isForeground ? nil : "background",
                restored.map { "restored \($0.channelID)" },
                restored?.needsDescriptor == true ? "needsDescriptor" : nil,
                left.map { "left \($0.channelID) \($0.reason)" },
                left?.explanation?.traced
            )
        case .done: "done"
        case .began(let transmissionID): "began \(transmissionID.rawValue)"
        case .accepted(let pushID): "accepted \(pushID.rawValue)"
        case .refused(let refusal): traced(refusal)
        case .rejected(let rejection): "rejected \(rejection.code) \(rejection.reason.traced)"
        }
    }
}
