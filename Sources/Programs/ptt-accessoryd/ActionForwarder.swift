import AccessoryCore
import AccessoryFiles
import EventLoop
import Logging
import PTTMessages
import ServiceClient

/// Forwards presses that do something else than transmit to ptt-actions.
///
/// Which those are is read here too: while ptt-actions does not run, such a press is refused, and never
/// transmits.
@EventLoop
final class ActionForwarder {
    let files = ActionFileWatch()
    private let log: Logger
    private var starter: ServiceConnection?

    init(log: Logger) {
        self.log = log
    }

    func hasAction(_ accessory: Accessory) -> Bool {
        files.list.hasAction(of: accessory.origin.identifier, accessory: accessory.definition.identifier)
    }

    func isAction(_ role: ButtonRole, of accessory: Accessory) -> Bool {
        let origin = accessory.origin
        return files.list.action(of: origin.identifier, accessory: accessory.definition.identifier, role)
            != nil
    }

    /// Connects once, if there is an action: where systemd listens for ptt-actions, this starts it before the
    /// first press.
    func start() {
        guard !files.list.actions.isEmpty else {
            // ptt-actions, which is not started then, would say so.
            for problem in files.problems {
                log.error("\(problem). Until it can be used no button has an action")
            }
            return
        }
        do throws(ServiceError) {
            let starter = try ServiceConnection.actions()
            self.starter = starter
            starter.onClose = { [weak self] _ in self?.starter = nil }
        } catch {
            log.warning("\(error)")
        }
    }

    /// Begins the action of a button. Nothing is called before this has returned, or after the release.
    /// `ended` is called if it ends before the release; with the reason if it has not begun, or if
    /// ptt-actions is gone.
    ///
    /// - Returns: The press, whose release is the end of the connection, and so is the end of this process.
    ///   Nil if ptt-actions cannot be reached, which is reported as well.
    func press(
        _ role: ButtonRole,
        of accessory: Accessory,
        began: @escaping @EventLoop () -> Void,
        ended: @escaping @EventLoop (ServiceError?) -> Void
    ) -> ServiceConnection? {
        let origin = accessory.origin
        let request = ActionInterface.PressRequest(
            identifier: origin.identifier,
            name: origin.name,
            accessory: accessory.definition.identifier,
            role: role
        )
        do throws(ServiceError) {
            let connection = try ServiceConnection.actions()
            connection.press(request, { if $0.kind == .began { began() } }, ended: ended)
            return connection
        } catch {
            let error = error
            EventLoop.start { ended(error) }
            return nil
        }
    }
}
