import EventLoop
import Foundation
import Synchronization

extension PTChannelManager {
    /// The one manager of this process, while the application holds it.
    private struct Instance {
        var isBeingCreated = false
        weak var manager: PTChannelManager?
        /// If the manager is gone, its attachment is closed before the next one is made.
        var attachment: Attachment?
    }

    private static let instance = Mutex(Instance())

    /// Creates the manager, or returns the existing one.
    ///
    /// Call this whenever the application starts. If a channel is still joined from an earlier run, it is
    /// restored first: the delegate receives waiting pushes, and `didJoinChannel` with
    /// ``PTChannelJoinReason/channelRestoration``, before the completion handler is called.
    ///
    /// A process has one manager. A later call returns the same one and replaces its delegates; Apple does
    /// not document that case. If a rule of the policy file has made a running application leave its channel,
    /// a call attaches it again as soon as the rules allow it.
    ///
    /// - Parameters:
    ///   - delegate: Notified of all events. Held weakly.
    ///   - restorationDelegate: Supplies the descriptor of a restored channel if `pttd` has lost it. Held
    ///     weakly.
    ///   - completionHandler: Called once on the callback queue, with the manager or with a
    ///     ``PTInstantiationError``: `invalidPlatform` if `pttd` cannot be reached, `missingBackgroundMode`
    ///     or `missingPushServerEnvironment` if the application's manifest lacks a key, `missingEntitlement`
    ///     if the policy file excludes the application, `instantiationAlreadyInProgress` while an earlier
    ///     call is not complete, `unknown` if the manifest cannot be read.
    public class func channelManager(
        delegate: any PTChannelManagerDelegate,
        restorationDelegate: any PTChannelRestorationDelegate,
        completionHandler: @escaping @Sendable (PTChannelManager?, (any Error)?) -> Void
    ) {
        let handler = completionHandler
        switch beginCreation() {
        case .existing(let manager):
            // Sent once, to the callback queue, which is where delegates are used.
            nonisolated(unsafe) let (delegate, restorationDelegate) = (delegate, restorationDelegate)
            manager.callbackQueue.complete {
                manager.state.withLock {
                    $0.delegate = delegate
                    $0.restorationDelegate = restorationDelegate
                }
            }
            manager.onAttachment { attachment in
                attachment.resume { error in handler(error == nil ? manager : nil, error) }
            }
        case .inProgress:
            failing(.inProgress, handler)
        case .begun(let earlier):
            let manifest: Manifest
            do throws(PTInstantiationError) {
                manifest = try Manifest.load()
            } catch {
                instance.withLock { $0 = Instance() }
                return failing(error, handler)
            }
            EventLoop.startOnOwnThread()
            let manager = PTChannelManager(
                delegate: delegate,
                restorationDelegate: restorationDelegate,
                manifest: manifest
            )
            manager.onAttachment { attachment in
                earlier?.close()
                attachment.assumedForeground = earlier?.assumedForeground
                attachment.start { error in
                    let created = Instance(manager: manager, attachment: attachment)
                    instance.withLock { $0 = error == nil ? created : Instance() }
                    handler(error == nil ? manager : nil, error)
                }
            }
        }
    }

    /// The asynchronous form of ``channelManager(delegate:restorationDelegate:completionHandler:)``.
    ///
    /// - Throws: ``PTInstantiationError``
    public class func channelManager(
        delegate: any PTChannelManagerDelegate,
        restorationDelegate: any PTChannelRestorationDelegate
    ) async throws -> PTChannelManager {
        try await withCheckedThrowingContinuation { continuation in
            channelManager(delegate: delegate, restorationDelegate: restorationDelegate) { manager, error in
                if let manager {
                    continuation.resume(returning: manager)
                } else {
                    continuation.resume(
                        throwing: error ?? PTInstantiationError(.unknown, reason: "no manager was created")
                    )
                }
            }
        }
    }

    private enum Creation {
        case existing(PTChannelManager)
        case inProgress
        case begun(after: Attachment?)
    }

    private static func beginCreation() -> Creation {
        instance.withLock { instance in
            if instance.isBeingCreated { return .inProgress }
            if let manager = instance.manager { return .existing(manager) }
            defer { instance = Instance(isBeingCreated: true) }
            return .begun(after: instance.attachment)
        }
    }

    private static func failing(
        _ error: PTInstantiationError,
        _ handler: @escaping @Sendable (PTChannelManager?, (any Error)?) -> Void
    ) {
        let queue = pttCallbackQueue ?? DispatchQueue.global()
        queue.async { handler(nil, error) }
    }
}

extension PTInstantiationError {
    /// An earlier request for the manager is not complete.
    static let inProgress = PTInstantiationError(
        .instantiationAlreadyInProgress,
        reason: "a channel manager is being created: wait for its completion handler"
    )
}
