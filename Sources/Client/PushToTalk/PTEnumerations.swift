import PTTMessages
import PTTPlatformTypes

extension PTChannelJoinReason {
    init(_ wireValue: JoinReason) {
        self =
            switch wireValue {
            case .channelRestoration: .channelRestoration
            // Apple has no case for a reason that a newer core may report.
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
    /// Nil for a raw value without a case.
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
    /// Nil for a raw value without a case.
    var wireValue: TransmissionMode? {
        switch self {
        case .fullDuplex: .fullDuplex
        case .halfDuplex: .halfDuplex
        case .listenOnly: .listenOnly
        @unknown default: nil
        }
    }
}
