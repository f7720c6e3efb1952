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
/// Linux: the key of `userInfo` for the sentence that says why, and where there is something to do, what.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let PTTErrorReasonKey = "PTTErrorReason"

/// Why something about a channel was refused.
///
/// An `NSError` of its domain is one too: it can be cast, caught and matched.
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

    public var code: Code { Code(number: nsError.code) }
    /// Linux: why, in words.
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

    /// Linux: the name that stands in Apple's first talk on the framework, but not in the framework.
    @available(*, deprecated, renamed: "callActive")
    public static var callIsActive: Code { .callActive }
}

extension PTChannelErrorCode {
    /// Every number is a value, as of any imported enumeration.
    fileprivate init(number: Int) { self = Self(rawValue: number) ?? .unknown }

    /// A code from a newer core is `unknown`.
    fileprivate init(_ code: RefusalCode) {
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

    /// So that `catch PTChannelError.channelNotFound` finds its error, and `switch` over an `NSError` does.
    public static func ~= (code: PTChannelErrorCode, error: any Error) -> Bool {
        (error as? PTChannelError)?.code == code
    }
}

/// Why there is no channel manager.
///
/// An `NSError` of its domain is one too: it can be cast, caught and matched.
public struct PTInstantiationError: CustomNSError, Hashable, Sendable {
    public typealias Code = PTInstantiationErrorCode

    let nsError: NSError

    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        nsError = NSError(domain: PTInstantiationErrorDomain, code: code.rawValue, userInfo: userInfo)
    }

    init(_ code: Code, reason: String) {
        self.init(code, userInfo: NSError.userInfo(reason: reason))
    }

    /// An application that was not let in.
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

    public var code: Code { Code(number: nsError.code) }
    /// Linux: why, in words.
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
    /// Every number is a value, as of any imported enumeration.
    fileprivate init(number: Int) { self = Self(rawValue: number) ?? .unknown }

    /// So that `catch PTInstantiationError.invalidPlatform` finds its error, and `switch` over an `NSError` does.
    public static func ~= (code: PTInstantiationErrorCode, error: any Error) -> Bool {
        (error as? PTInstantiationError)?.code == code
    }
}
