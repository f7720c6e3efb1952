public import Foundation
public import PTTPlatformTypes

/// What people see of a channel.
public final class PTChannelDescriptor: NSObject, Sendable {
    public let name: String
    public let image: UIImage?

    /// - Parameters:
    ///   - name: "Push to Talk" stands in for an empty one. On iOS the initialiser fails for it, which is seen, not
    ///     documented.
    ///   - image: A PNG, JPEG, GIF or WebP file of at most 256 KiB; the core leaves out any other.
    public init(name: String, image: UIImage?) {
        self.name = name.isEmpty ? "Push to Talk" : name
        self.image = image
    }
}

/// Somebody who talks at the other end.
public final class PTParticipant: NSObject, Sendable {
    public let name: String
    public let image: UIImage?

    /// - Parameters:
    ///   - name: "Somebody" stands in for an empty one. On iOS the initialiser fails for it, which is seen, not
    ///     documented.
    ///   - image: As in ``PTChannelDescriptor/init(name:image:)``. It may come later, by setting the participant again.
    public init(name: String, image: UIImage?) {
        self.name = name.isEmpty ? "Somebody" : name
        self.image = image
    }
}

/// What follows from a push.
public final class PTPushResult: NSObject, Sendable {
    let value: PushAnswer.Result

    private init(_ value: PushAnswer.Result) {
        self.value = value
    }

    /// Somebody talks: the audio session is activated, and `didActivate` told, unless it is active.
    public class func activeRemoteParticipant(_ participant: PTParticipant) -> PTPushResult {
        PTPushResult(.participant(participant))
    }

    /// The channel is to be left; `didLeaveChannel` follows.
    public class var leaveChannel: PTPushResult { PTPushResult(.leave) }
}

extension PTChannelDescriptor {
    /// The picture as it stands on the socket.
    var imageText: String? { image?.text }
}

extension PTParticipant {
    /// The picture as it stands on the socket.
    var imageText: String? { image?.text }
}

extension UIImage {
    /// Longer than any picture that the core keeps, and short enough for a message.
    private static let longest = 300 * 1024

    fileprivate var text: String? {
        guard !encoded.isEmpty else { return nil }
        guard encoded.count <= Self.longest else {
            Diagnostics.note("an image of \(encoded.count) bytes is left out: at most 256 KiB are kept")
            return nil
        }
        return encoded.base64EncodedString()
    }
}
