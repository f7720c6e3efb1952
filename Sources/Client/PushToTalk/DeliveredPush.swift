internal import Foundation
internal import PTTMessages
internal import Synchronization

/// A push on its way through the application.
///
/// Unchecked because of its payload, which is made for one callback and given away with it.
final class DeliveredPush: @unchecked Sendable {
    private enum Progress {
        /// In the callback queue.
        case waiting
        /// The delegate looks at it, or has answered.
        case taken
        /// The core waits for it no longer.
        case withdrawn
    }

    let push: Push
    let channelUUID: UUID
    let payload: [String: Any]
    /// Takes the application's answer.
    let answer: @Sendable (ApplicationInterface.FinishPushRequest) -> Void
    private let progress = Mutex(Progress.waiting)

    init(
        _ push: Push,
        _ channelUUID: UUID,
        _ payload: [String: Any],
        answer: @escaping @Sendable (ApplicationInterface.FinishPushRequest) -> Void
    ) {
        self.push = push
        self.channelUUID = channelUUID
        self.payload = payload
        self.answer = answer
    }

    /// The push has come to its turn in the callback queue.
    ///
    /// - Returns: False if it came there too late, and nobody is to see it.
    func take() -> Bool {
        progress.withLock { progress in
            guard progress == .waiting else { return false }
            progress = .taken
            return true
        }
    }

    /// What the delegate has not begun to look at, it shall not see any more.
    func withdraw() {
        progress.withLock { if $0 == .waiting { $0 = .withdrawn } }
    }
}

/// A push's payload as an application gets it.
enum Payload {
    static func dictionary(_ text: String) -> [String: Any]? {
        // The core has checked that it is an object; nil ends this push, not the application.
        (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
    }
}
