package import PTTMessages

extension TalkSession {
    /// A call of a client, named by its method.
    package enum Request: Equatable, Codable, Sendable {
        // MARK: org.pushtotalk.Application

        /// - Parameters:
        ///   - processID: The caller's, for display, and to assume that a process that attaches once more is
        ///     where it was.
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
        case join(ChannelInterface.JoinRequest, processID: Int, newChannelID: ChannelID, newToken: PushToken)
        case leave(ChannelInterface.LeaveRequest)
        case setDescriptor(ChannelInterface.DescriptorRequest)
        case begin(ChannelInterface.BeginRequest)
        case end(ChannelInterface.EndRequest)
        case latch(ChannelInterface.LatchReport)
        case report(ChannelInterface.ButtonReport)
        case setVolume(ChannelInterface.VolumeRequest)
        case reportBattery(ChannelInterface.BatteryReport)
    }

    package enum Answer: Equatable, Sendable {
        /// - Parameters:
        ///   - pushToken: Nil for a client that receives no pushes.
        ///   - isApplication: True if the client is the channel's application and needs a token for frames.
        ///     One that is attached has it already.
        case joined(ChannelID, AudioFormat, pushToken: PushToken?, isApplication: Bool)
        /// All events are sent to this client too from now on.
        case attached(
            PushToken,
            AudioFormat,
            restored: ApplicationInterface.Restored?,
            left: ApplicationInterface.Left?,
            isForeground: Bool
        )
        case done
        /// - Parameter isRecording: True if the client needs a token for frames.
        case began(TransmissionID, isRecording: Bool)
        case accepted(PushID)
        case refused(RefusalCause)
        case rejected(PushRejection)
    }

    /// - Returns: Nil if the request is answered later.
    /// - Throws: Why it is refused.
    mutating func answer(
        _ request: Request,
        _ requestID: RequestID,
        from client: ClientID
    ) throws(RefusalCause) -> Answer? {
        if surroundings.power == .shuttingDown {
            // What changes now would have to be saved before the end. A channel can be left once.
            guard case .leave = request else { throw .shuttingDown }
        }
        switch request {
        case .attach(let request, let processID, let newToken):
            return try attach(request, processID, newToken, from: client)
        case .setForeground(let request): try setForeground(request, from: client)
        case .setServiceStatus(let request): try setServiceStatus(request, from: client)
        case .setTransmissionMode(let request): try setTransmissionMode(request, from: client)
        case .setAccessoryEvents(let request): try setAccessoryEvents(request, from: client)
        case .setParticipant(let request): return try setParticipant(request, requestID, from: client)
        case .finishPush(let request): return try finishPush(request, requestID, from: client)
        case .join(let request, let processID, let newChannelID, let newToken):
            return try join(request, processID, newChannelID, newToken, from: client)
        case .leave(let request): try leave(request, from: client)
        case .setDescriptor(let request): try setDescriptor(request, from: client)
        case .begin(let request): return try begin(request, from: client)
        case .end(let request): try end(request, from: client)
        case .latch(let report): try latch(report, from: client)
        case .report(let report): try self.report(report, from: client)
        case .setVolume(let request): try setVolume(request)
        case .reportBattery: play(.batteryLow)
        }
        return .done
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
        case .began(let transmissionID, let isRecording):
            words("began \(transmissionID.rawValue)", isRecording ? "recording" : nil)
        case .accepted(let pushID): "accepted \(pushID.rawValue)"
        case .refused(let cause): "refused \(cause.forClient.code) \(cause.reason.traced)"
        case .rejected(let rejection): "rejected \(rejection.code) \(rejection.reason.traced)"
        }
    }
}
