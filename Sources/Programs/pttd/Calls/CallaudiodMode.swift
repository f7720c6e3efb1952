import DBus
import EventLoop
import Journal
import PTTCore

/// The mode of callaudiod, which routes the sound of a phone: during a call it is "call".
@EventLoop
final class CallaudiodMode: CallService {
    private static let path: ObjectPath = "/org/mobian_project/CallAudio"
    private static let interface = "org.mobian_project.CallAudio"

    init(log: RateLimitedLog, report: @escaping @EventLoop (ActiveCalls.Event) -> Void) {
        super.init("org.mobian_project.CallAudio", .callaudiod, log: log, report: report)
    }

    override func subscribe() {
        subscribe(
            to: "org.freedesktop.DBus.Properties",
            "PropertiesChanged",
            path: Self.path,
            firstArgument: Self.interface
        ) { [weak self] signal in
            guard let changes = signal.propertyChanges else { return }
            if changes.invalidated.contains("AudioMode") { self?.list() }
            if let mode = changes.changed["AudioMode"]?.asInt { self?.set(mode) }
        }
    }

    override func list() {
        let remote = RemoteInterface(service: name, path: Self.path, name: Self.interface)
        ask(remote.get("AudioMode")) { [weak self] values in
            // Without the property there is no mode either.
            self?.set(values?.first?.asInt ?? 0)
        }
    }

    private func set(_ mode: Int) {
        // `CallAudioMode`: 0 default, 1 call, 255 unknown.
        setCall("mode", isActive: mode == 1)
    }
}
