internal import PTTMessages

/// Why a channel is joined.
public enum PTChannelJoinReason: Int, Sendable {
    case developerRequest = 0
    case channelRestoration = 1
}

/// Why a channel is not joined any more.
public enum PTChannelLeaveReason: Int, Sendable {
    /// Here also: the core was found again without the channel, or gave up on starting the application.
    case unknown = 0
    /// Here: `pttctl leave`.
    case userRequest = 1
    /// Also after ``PTPushResult/leaveChannel``, of which Apple does not say it.
    case developerRequest = 2
    /// A rule of the policy file that did not hold when the channel was joined.
    case systemPolicy = 3
}

/// What began or ended a transmission.
public enum PTChannelTransmitRequestSource: Int, Sendable {
    /// Also an end that nobody asked for: the time limit, a lost microphone, a change of mode.
    case unknown = 0
    /// Here: `pttctl talk`.
    case userRequest = 1
    case developerRequest = 2
    /// A button of an accessory, Bluetooth or wired.
    case handsfreeButton = 3
}

/// Whether the application's service can be used.
public enum PTServiceStatus: Int, Sendable {
    case ready = 0
    case connecting = 1
    case unavailable = 2
}

/// Who may talk when.
public enum PTTransmissionMode: Int, Sendable {
    case fullDuplex = 0
    case halfDuplex = 1
    case listenOnly = 2
}

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
    var word: ServiceStatus {
        switch self {
        case .ready: .ready
        case .connecting: .connecting
        case .unavailable: .unavailable
        }
    }
}

extension PTTransmissionMode {
    var word: TransmissionMode {
        switch self {
        case .fullDuplex: .fullDuplex
        case .halfDuplex: .halfDuplex
        case .listenOnly: .listenOnly
        }
    }
}
