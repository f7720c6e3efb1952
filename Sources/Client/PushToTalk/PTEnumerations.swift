import PTTMessages
import PTTPlatformTypes

extension PTChannelJoinReason {
    init(_ wireValue: JoinReason) {
        self =
            switch wireValue {
            case .channelRestoration: .channelRestoration
            // Apple has no case for what a newer core may say.
            case .developerRequest, .unknown: .developerRequest
            }
    }
}

extension PTChannelLeaveReason {
    init(_ wireValue: LeaveReason) {
        self =
            switch wireValue {
            case .unknown: .unknown
            case .userRequest: .userRequest
            case .developerRequest: .developerRequest
            case .systemPolicy: .systemPolicy
            }
    }
}

extension PTChannelTransmitRequestSource {
    init(_ wireValue: TransmitSource) {
        self =
            switch wireValue {
            case .unknown: .unknown
            case .userRequest: .userRequest
            case .developerRequest: .developerRequest
            case .handsfreeButton: .handsfreeButton
            }
    }
}

extension PTServiceStatus {
    /// Nil for a number that nothing stands for.
    var wireValue: ServiceStatus? {
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
    var wireValue: TransmissionMode? {
        switch self {
        case .fullDuplex: .fullDuplex
        case .halfDuplex: .halfDuplex
        case .listenOnly: .listenOnly
        @unknown default: nil
        }
    }
}
