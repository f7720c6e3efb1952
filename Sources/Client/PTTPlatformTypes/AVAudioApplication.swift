public import Foundation

/// The application's permission to record, for code that no longer uses the members of ``AVAudioSession``,
/// which are deprecated since iOS 17.
public final class AVAudioApplication: NSObject, Sendable {
    // The enumeration has this name in Swift on iOS.
    // swift-format-ignore: TypeNamesShouldBeCapitalized
    public typealias recordPermission = AVAudioApplicationRecordPermission

    public static let shared = AVAudioApplication()

    override private init() {}

    /// Always `granted`, as ``AVAudioSession/recordPermission``.
    public var recordPermission: recordPermission { .granted }

    /// Grants the permission without asking the person.
    ///
    /// - Parameter response: Called with true before this method returns.
    public class func requestRecordPermission(completionHandler response: @escaping (Bool) -> Void) {
        response(true)
    }

    /// Grants the permission without asking the person.
    ///
    /// - Returns: True.
    public class func requestRecordPermission() async -> Bool { true }
}
