import PTTMessages
import PTTPlatformTypes

extension PTChannelJoinReason {
    init(_ word: JoinReason) {
        self =
            switch word {
            case .channelRestoration: .channelRestoration
            // Apple has no case for what a newer core may say.
            case .developerRequest, .unknown: .developerRequest
            }
    }
}

extension PTChannelLeaveReason {
    init(_ word: LeaveReason) {
        self =
            switch word {
            case .unknown: .unknown
            case .userRequest: .userRequest
            case .developerRequest: .developerRequest
            case .systemPolicy: .systemPolicy
            }
    }
}

extension PTChannelTransmitRequestSource {
    init(_ word: TransmitSource) {
        self =
            switch word {
            case .unknown: .unknown
            case .userRequest: .userRequest
            case .developerRequest: .developerRequest
            case .handsfreeButton: .handsfreeButton
            }
    }
}

extension PTServiceStatus {
    /// Nil for a number that nothing stands for.
    var word: ServiceStatus? {
        switch self {
        case .ready: .ready
        case .connecting: .connecting
        case .unavailable: .unavailable
        @unknown default: nil
        }
    }
}

extension PTTransmissionMode {
    /// Nil for a number that nothing stands for.
    var word: TransmissionMode? {
        switch self {
        case .fullDuplex: .fullDuplex
        case .halfDuplex: .halfDuplex
        case .listenOnly: .listenOnly
        @unknown default: nil
        }
    }
}
