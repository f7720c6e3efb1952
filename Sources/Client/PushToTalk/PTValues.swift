public import Foundation
public import PTTPlatformTypes

/// The name and the image of a channel.
public final class PTChannelDescriptor: NSObject, Sendable {
    public let name: String
    public let image: UIImage?

    /// - Parameters:
    ///   - name: An empty name becomes "Push to Talk". On iOS the initialiser fails for it, which Apple does
    ///     not document.
    ///   - image: A PNG, JPEG, GIF or WebP file of at most 256 KiB; any other is left out.
    public init(name: String, image: UIImage?) {
        self.name = name.isEmpty ? "Push to Talk" : name
        self.image = image
    }
}

/// A remote participant, who talks at the other end of the channel.
public final class PTParticipant: NSObject, Sendable {
    public let name: String
    public let image: UIImage?

    /// - Parameters:
    ///   - name: An empty name becomes "Somebody". On iOS the initialiser fails for it, which Apple does not
    ///     document.
    ///   - image: A PNG, JPEG, GIF or WebP file of at most 256 KiB; any other is left out. To add an image
    ///     later, set the participant again.
    public init(name: String, image: UIImage?) {
        self.name = name.isEmpty ? "Somebody" : name
        self.image = image
    }
}

/// The application's result for a push.
public final class PTPushResult: NSObject, Sendable {
    let value: PushAnswer.Result

    private init(_ value: PushAnswer.Result) {
        self.value = value
    }

    /// A remote participant talks. The system activates the audio session and calls `didActivate`, unless the
    /// session is active.
    public class func activeRemoteParticipant(_ participant: PTParticipant) -> PTPushResult {
        PTPushResult(.participant(participant))
    }

    /// The system leaves the channel and calls `didLeaveChannel`.
    public class var leaveChannel: PTPushResult { PTPushResult(.leave) }
}

extension UIImage {
    /// More bytes than the core accepts of an image, and few enough for a message.
    private static let longest = 300 * 1024

    /// As in a message to the core; nil for an image that is left out.
    var base64: String? {
        guard !encoded.isEmpty else { return nil }
        guard encoded.count <= Self.longest else {
            Diagnostics.note("an image of \(encoded.count) bytes is left out: at most 256 KiB are kept")
            return nil
        }
        return encoded.base64EncodedString()
    }
}
