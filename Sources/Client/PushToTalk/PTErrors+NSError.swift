public import Foundation

// Where there is Objective-C the compiler sees to it that an `NSError` of an error's domain can be cast to the error. Here
// nothing but this protocol of the standard library makes the runtime try: `as?`, `is` and `catch` ask it.

extension PTChannelError: _ObjectiveCBridgeable {
    // swift-format-ignore: NoLeadingUnderscores
    public func _bridgeToObjectiveC() -> NSError { nsError }

    // swift-format-ignore: NoLeadingUnderscores
    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout PTChannelError?) {
        result = PTChannelError(source)
    }

    // swift-format-ignore: NoLeadingUnderscores
    public static func _conditionallyBridgeFromObjectiveC(
        _ source: NSError,
        result: inout PTChannelError?
    ) -> Bool {
        result = PTChannelError(source)
        return result != nil
    }

    // swift-format-ignore: NoLeadingUnderscores
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> PTChannelError {
        source.flatMap { PTChannelError($0) } ?? PTChannelError(.unknown)
    }
}

extension PTInstantiationError: _ObjectiveCBridgeable {
    // swift-format-ignore: NoLeadingUnderscores
    public func _bridgeToObjectiveC() -> NSError { nsError }

    // swift-format-ignore: NoLeadingUnderscores
    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout PTInstantiationError?) {
        result = PTInstantiationError(source)
    }

    // swift-format-ignore: NoLeadingUnderscores
    public static func _conditionallyBridgeFromObjectiveC(
        _ source: NSError,
        result: inout PTInstantiationError?
    ) -> Bool {
        result = PTInstantiationError(source)
        return result != nil
    }

    // swift-format-ignore: NoLeadingUnderscores
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> PTInstantiationError {
        source.flatMap { PTInstantiationError($0) } ?? PTInstantiationError(.unknown)
    }
}

extension NSError {
    static func userInfo(reason: String) -> [String: Any] {
        [NSLocalizedDescriptionKey: reason, PTTErrorReasonKey: reason]
    }

    var reason: String { userInfo[PTTErrorReasonKey] as? String ?? localizedDescription }

    /// Equal, or the same where `userInfo` has values that cannot be compared. `NSError.hash` must not be asked: it traps
    /// on Linux.
    func isSame(as other: NSError) -> Bool { self === other || self == other }
}
