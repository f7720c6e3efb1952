// swift-format-ignore-file: NoLeadingUnderscores
public import Foundation

// With Objective-C the compiler makes an `NSError` of an error's domain castable to the error. On Linux only
// this protocol of the standard library does: `as?`, `is` and `catch` call it.

extension PTChannelError: _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSError { nsError }

    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout PTChannelError?) {
        result = PTChannelError(source)
    }

    public static func _conditionallyBridgeFromObjectiveC(
        _ source: NSError,
        result: inout PTChannelError?
    ) -> Bool {
        result = PTChannelError(source)
        return result != nil
    }

    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> PTChannelError {
        source.flatMap { PTChannelError($0) } ?? PTChannelError(.unknown)
    }
}

extension PTInstantiationError: _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSError { nsError }

    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout PTInstantiationError?) {
        result = PTInstantiationError(source)
    }

    public static func _conditionallyBridgeFromObjectiveC(
        _ source: NSError,
        result: inout PTInstantiationError?
    ) -> Bool {
        result = PTInstantiationError(source)
        return result != nil
    }

    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> PTInstantiationError {
        source.flatMap { PTInstantiationError($0) } ?? PTInstantiationError(.unknown)
    }
}

extension NSError {
    static func userInfo(reason: String) -> [String: Any] {
        [NSLocalizedDescriptionKey: reason, PTTErrorReasonKey: reason]
    }

    var reason: String { userInfo[PTTErrorReasonKey] as? String ?? localizedDescription }

    /// Equal, or identical if `userInfo` has values that cannot be compared. Must not use `NSError.hash`,
    /// which traps on Linux.
    func isSame(as other: NSError) -> Bool { self === other || self == other }
}
