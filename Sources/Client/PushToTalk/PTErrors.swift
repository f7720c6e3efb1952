public import Foundation
import PTTMessages
public import PTTPlatformTypes
import ServiceClient

/// The domain of ``PTChannelError``.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let PTChannelErrorDomain = "com.apple.pushtotalk.channel"
/// The domain of ``PTInstantiationError``.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let PTInstantiationErrorDomain = "com.apple.pushtotalk.instantiation"
/// Linux: the key in `userInfo` of a sentence with the reason of the error and, if there is one, its remedy.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let PTTErrorReasonKey = "PTTErrorReason"

/// Why a request about a channel failed.
///
/// An `NSError` of its domain can be cast to this type, and caught and matched as it.
public struct PTChannelError: CustomNSError, Hashable, Sendable {
    public typealias Code = PTChannelErrorCode

    let nsError: NSError

    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        nsError = NSError(domain: PTChannelErrorDomain, code: code.rawValue, userInfo: userInfo)
    }

    init(_ refusal: Refusal) {
        self.init(Code(refusal.code), userInfo: NSError.userInfo(reason: refusal.reason))
    }

    /// Nil for an error of another domain.
    init?(_ error: NSError) {
        guard error.domain == PTChannelErrorDomain else { return nil }
        nsError = error
    }

    // As any imported enumeration, it keeps a number without a case.
    public var code: Code { Code(rawValue: nsError.code) ?? .unknown }
    /// Linux: the reason of the error, in a sentence for people.
    public var pttReason: String { nsError.reason }

    public static var errorDomain: String { PTChannelErrorDomain }
    public var errorCode: Int { nsError.code }
    public var userInfo: [String: Any] { nsError.userInfo }
    public var errorUserInfo: [String: Any] { nsError.userInfo }

    public static func == (left: Self, right: Self) -> Bool { left.nsError.isSame(as: right.nsError) }
    public func hash(into hasher: inout Hasher) { hasher.combine(nsError.code) }

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

    /// Linux: a name from Apple's first talk on the framework (WWDC 2022) that the framework does not have.
    @available(*, deprecated, renamed: "callActive")
    public static var callIsActive: Code { .callActive }
}

extension PTChannelErrorCode {
    /// A code from a newer core is `unknown`.
    fileprivate init(_ code: RefusalCode) {
        self =
            switch code {
            // noRecorder: it is about presses without a channel, and an application has one.
            case .unknown, .noRecorder: .unknown
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

    /// Matches an error, also an `NSError`, in `catch PTChannelError.channelNotFound` and in `switch`.
    public static func ~= (code: PTChannelErrorCode, error: any Error) -> Bool {
        (error as? PTChannelError)?.code == code
    }
}

/// Why no channel manager was created.
///
/// An `NSError` of its domain can be cast to this type, and caught and matched as it.
public struct PTInstantiationError: CustomNSError, Hashable, Sendable {
    public typealias Code = PTInstantiationErrorCode

    let nsError: NSError

    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        nsError = NSError(domain: PTInstantiationErrorDomain, code: code.rawValue, userInfo: userInfo)
    }

    init(_ code: Code, reason: String) {
        self.init(code, userInfo: NSError.userInfo(reason: reason))
    }

    /// The error for a failed `Attach`.
    init(refusal error: ServiceError) {
        switch error {
        case .refused(let refusal) where refusal.code == .deviceManagementRestriction:
            self.init(.missingEntitlement, reason: refusal.reason)
        case .refused, .rejected:
            self.init(.unknown, reason: "\(error)")
        case .unreachable, .lost, .failed:
            self.init(.invalidPlatform, reason: "\(error)")
        }
    }

    /// Nil for an error of another domain.
    init?(_ error: NSError) {
        guard error.domain == PTInstantiationErrorDomain else { return nil }
        nsError = error
    }

    // As any imported enumeration, it keeps a number without a case.
    public var code: Code { Code(rawValue: nsError.code) ?? .unknown }
    /// Linux: the reason of the error, in a sentence for people.
    public var pttReason: String { nsError.reason }

    public static var errorDomain: String { PTInstantiationErrorDomain }
    public var errorCode: Int { nsError.code }
    public var userInfo: [String: Any] { nsError.userInfo }
    public var errorUserInfo: [String: Any] { nsError.userInfo }

    public static func == (left: Self, right: Self) -> Bool { left.nsError.isSame(as: right.nsError) }
    public func hash(into hasher: inout Hasher) { hasher.combine(nsError.code) }

    public static var unknown: Code { .unknown }
    public static var invalidPlatform: Code { .invalidPlatform }
    public static var missingBackgroundMode: Code { .missingBackgroundMode }
    public static var missingPushServerEnvironment: Code { .missingPushServerEnvironment }
    public static var missingEntitlement: Code { .missingEntitlement }
    public static var instantiationAlreadyInProgress: Code { .instantiationAlreadyInProgress }
}

extension PTInstantiationErrorCode {
    /// Matches an error, also an `NSError`, in `catch PTInstantiationError.invalidPlatform` and in `switch`.
    public static func ~= (code: PTInstantiationErrorCode, error: any Error) -> Bool {
        (error as? PTInstantiationError)?.code == code
    }
}
