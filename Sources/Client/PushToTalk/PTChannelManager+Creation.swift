import EventLoop
import Foundation
import Synchronization

extension PTChannelManager {
    /// The one manager of this process, while the application holds it.
    private enum Instance {
        case none
        case creating
        /// Weak references cannot stand in an enumeration by themselves.
        case created(Reference)

        struct Reference {
            weak var manager: PTChannelManager?
            /// Of a manager that is gone: to be closed before the next begins.
            let attachment: Attachment
        }
    }

    private static let instance = Mutex(Instance.none)

    /// Makes the manager, or gives the one that there is.
    ///
    /// There is one manager in a process: later calls give it again, and tell the delegates that they name from then on in
    /// place of those before, of which Apple says nothing.
    ///
    /// An application that the policy file has excluded while it ran has left its channel, and is let in again, if it may,
    /// when it calls this.
    ///
    /// Call it at every start of the application. A channel that outlived the application is restored first: pushes
    /// that wait and `didJoinChannel` with ``PTChannelJoinReason/channelRestoration`` come before the manager.
    ///
    /// - Parameters:
    ///   - delegate: Told of everything from now on. Held weakly.
    ///   - restorationDelegate: Asked for the descriptor of a restored channel if the core has lost it. Held weakly.
    ///   - completionHandler: Called once on the callback queue, with a ``PTInstantiationError`` if there is no manager:
    ///     `invalidPlatform` if `pttd` cannot be reached, `missingBackgroundMode` and `missingPushServerEnvironment` if
    ///     the application's manifest says too little, `missingEntitlement` if the policy file excludes the
    ///     application, `instantiationAlreadyInProgress` if another creation is not finished.
    public class func channelManager(
        delegate: any PTChannelManagerDelegate,
        restorationDelegate: any PTChannelRestorationDelegate,
        completionHandler: @escaping @Sendable (PTChannelManager?, (any Error)?) -> Void
    ) {
        let handler = completionHandler
        switch beginCreation() {
        case .existing(let manager):
            // Given away: the callback queue keeps them until they are adopted.
            nonisolated(unsafe) let (delegate, restorationDelegate) = (delegate, restorationDelegate)
            manager.callbackQueue.enqueue(.perform { manager.adopt(delegate, restorationDelegate) })
            manager.onAttachment { attachment in
                attachment.resume { error in handler(error == nil ? manager : nil, error) }
            }
        case .inProgress:
            let error = PTInstantiationError(
                .instantiationAlreadyInProgress,
                reason: "a channel manager is being made already: wait for it"
            )
            failing(error, handler)
        case .begun(let earlier):
            let manifest: Manifest
            do throws(PTInstantiationError) {
                manifest = try Manifest.load()
            } catch {
                instance.withLock { $0 = .none }
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
                    let reference = Instance.Reference(manager: manager, attachment: attachment)
                    instance.withLock { $0 = error == nil ? .created(reference) : .none }
                    handler(error == nil ? manager : nil, error)
                }
            }
        }
    }

    /// As ``channelManager(delegate:restorationDelegate:completionHandler:)``.
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
                        throwing: error ?? PTInstantiationError(.unknown, reason: "no manager was made")
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
            switch instance {
            case .creating:
                return .inProgress
            case .created(let reference):
                if let manager = reference.manager { return .existing(manager) }
                instance = .creating
                return .begun(after: reference.attachment)
            case .none:
                instance = .creating
                return .begun(after: nil)
            }
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
