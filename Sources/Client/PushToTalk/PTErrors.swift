internal import CoreLink
public import Foundation
internal import PTTMessages

/// The domain of ``PTChannelError``.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let PTChannelErrorDomain = "PTChannelErrorDomain"
/// The domain of ``PTInstantiationError``.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let PTInstantiationErrorDomain = "PTInstantiationErrorDomain"
/// Linux: the key of `userInfo` for the sentence that says why, and where there is something to do, what.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let PTTErrorReasonKey = "PTTErrorReason"

/// Why something about a channel was refused.
public struct PTChannelError: CustomNSError, Hashable, Sendable {
    public enum Code: Int, Sendable {
        /// Anything else, a missing microphone for example; ``PTChannelError/pttReason`` says what.
        case unknown = 0
        case channelNotFound = 1
        case channelLimitReached = 2
        case callActive = 3
        case transmissionInProgress = 4
        case transmissionNotFound = 5
        case appNotForeground = 6
        case deviceManagementRestriction = 7
        case screenTimeRestriction = 8
        case transmissionNotAllowed = 9
    }

    public let code: Code
    /// Linux: why, in words.
    public let pttReason: String

    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.code = code
        pttReason = userInfo[PTTErrorReasonKey] as? String ?? "\(code)"
    }

    init(_ refusal: Refusal) {
        code = Code(refusal.code)
        pttReason = refusal.reason
    }

    public static var errorDomain: String { PTChannelErrorDomain }
    public var errorCode: Int { code.rawValue }
    public var userInfo: [String: Any] { errorUserInfo }
    public var errorUserInfo: [String: Any] {
        [NSLocalizedDescriptionKey: pttReason, PTTErrorReasonKey: pttReason]
    }
    public var localizedDescription: String { pttReason }

    public static var unknown: Code { .unknown }
    public static var channelNotFound: Code { .channelNotFound }
    public static var channelLimitReached: Code { .channelLimitReached }
    public static var callActive: Code { .callActive }
    public static var transmissionInProgress: Code { .transmissionInProgress }
    public static var transmissionNotFound: Code { .transmissionNotFound }
    public static var appNotForeground: Code { .appNotForeground }
    public static var deviceManagementRestriction: Code { .deviceManagementRestriction }
    public static var screenTimeRestriction: Code { .screenTimeRestriction }
    public static var transmissionNotAllowed: Code { .transmissionNotAllowed }

    /// The name that Apple's first sample used; the framework never had it.
    @available(*, deprecated, renamed: "callActive")
    public static var callIsActive: Code { .callActive }
}

extension PTChannelError.Code {
    /// A code from a newer core is `unknown`.
    init(_ code: RefusalCode) {
        self =
            switch code {
            case .unknown: .unknown
            case .channelNotFound: .channelNotFound
            case .channelLimitReached: .channelLimitReached
            case .callActive: .callActive
            case .transmissionInProgress: .transmissionInProgress
            case .transmissionNotFound: .transmissionNotFound
            case .appNotForeground: .appNotForeground
            case .deviceManagementRestriction: .deviceManagementRestriction
            case .screenTimeRestriction: .screenTimeRestriction
            case .transmissionNotAllowed: .transmissionNotAllowed
            }
    }

    /// So that `catch PTChannelError.channelNotFound` finds its error.
    public static func ~= (code: PTChannelError.Code, error: any Error) -> Bool {
        (error as? PTChannelError)?.code == code
    }
}

/// Why there is no channel manager.
public struct PTInstantiationError: CustomNSError, Hashable, Sendable {
    public enum Code: Int, Sendable {
        case unknown = 0
        /// Here: `pttd` cannot be reached.
        case invalidPlatform = 1
        /// Here: the application's manifest does not say how the application is started.
        case missingBackgroundMode = 2
        /// Here: the application's manifest has no `push-environment`.
        case missingPushServerEnvironment = 3
        /// Here: the policy file excludes the application.
        case missingEntitlement = 4
        case instantiationAlreadyInProgress = 5
    }

    public let code: Code
    /// Linux: why, in words.
    public let pttReason: String

    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.code = code
        pttReason = userInfo[PTTErrorReasonKey] as? String ?? "\(code)"
    }

    init(_ code: Code, reason: String) {
        self.code = code
        pttReason = reason
    }

    /// An application that was not let in.
    init(refusal error: LinkError) {
        switch error {
        case .refused(let refusal) where refusal.code == .deviceManagementRestriction:
            self.init(.missingEntitlement, reason: refusal.reason)
        case .refused, .rejected:
            self.init(.unknown, reason: "\(error)")
        case .unreachable, .lost, .failed:
            self.init(.invalidPlatform, reason: "\(error)")
        }
    }

    public static var errorDomain: String { PTInstantiationErrorDomain }
    public var errorCode: Int { code.rawValue }
    public var userInfo: [String: Any] { errorUserInfo }
    public var errorUserInfo: [String: Any] {
        [NSLocalizedDescriptionKey: pttReason, PTTErrorReasonKey: pttReason]
    }
    public var localizedDescription: String { pttReason }

    public static var unknown: Code { .unknown }
    public static var invalidPlatform: Code { .invalidPlatform }
    public static var missingBackgroundMode: Code { .missingBackgroundMode }
    public static var missingPushServerEnvironment: Code { .missingPushServerEnvironment }
    public static var missingEntitlement: Code { .missingEntitlement }
    public static var instantiationAlreadyInProgress: Code { .instantiationAlreadyInProgress }
}

extension PTInstantiationError.Code {
    /// So that `catch PTInstantiationError.invalidPlatform` finds its error.
    public static func ~= (code: PTInstantiationError.Code, error: any Error) -> Bool {
        (error as? PTInstantiationError)?.code == code
    }
}
