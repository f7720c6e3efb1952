public import Foundation

/// Whom iOS 17 asks for permission to record, instead of ``AVAudioSession``.
public final class AVAudioApplication: NSObject, Sendable {
    // The name that the enumeration has in Swift on iOS.
    // swift-format-ignore: TypeNamesShouldBeCapitalized
    public typealias recordPermission = AVAudioApplicationRecordPermission

    public static let shared = AVAudioApplication()

    override private init() {}

    /// As ``AVAudioSession/recordPermission``.
    public var recordPermission: recordPermission { .granted }

    /// Asks nobody.
    ///
    /// - Parameter response: Called with true before this returns.
    public class func requestRecordPermission(completionHandler response: @escaping (Bool) -> Void) {
        response(true)
    }

    /// Asks nobody.
    ///
    /// - Returns: True.
    public class func requestRecordPermission() async -> Bool { true }
}
