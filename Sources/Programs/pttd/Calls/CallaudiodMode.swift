import DBus
import EventLoop
import Journal
import PTTCore

/// The mode of callaudiod, which routes the sound of a phone: during a call it is "call".
@EventLoop
final class CallaudiodMode {
    let service: CallService
    private let report: @EventLoop (ActiveCalls.Event) -> Void

    private static let path: ObjectPath = "/org/mobian_project/CallAudio"
    private static let interface = "org.mobian_project.CallAudio"

    init(log: RateLimitedLog, report: @escaping @EventLoop (ActiveCalls.Event) -> Void) {
        service = CallService("org.mobian_project.CallAudio", log: log)
        self.report = report
        service.connected = { [weak self] in self?.subscribe() }
        service.appeared = { [weak self] in self?.read() }
        service.left = { report(.lost(.callaudiod)) }
    }

    private func subscribe() {
        service.subscribe(
            to: "org.freedesktop.DBus.Properties",
            "PropertiesChanged",
            path: Self.path,
            firstArgument: Self.interface
        ) { [weak self] signal in
            guard let changes = signal.propertyChanges else { return }
            if changes.invalidated.contains("AudioMode") { self?.read() }
            if let mode = changes.changed["AudioMode"]?.asInt { self?.set(mode) }
        }
    }

    private func read() {
        let get = MethodCall.getProperty(
            "AudioMode",
            interface: Self.interface,
            of: service.name,
            path: Self.path
        )
        service.ask(get) { [weak self] values in
            // Without the property there is no mode either.
            self?.set(values?.first?.asInt ?? 0)
        }
    }

    private func set(_ mode: Int) {
        // `CallAudioMode`: 0 default, 1 call, 255 unknown.
        let id = "mode"
        if mode == 1 {
            report(.present(.callaudiod, .init(id: id, name: ActiveCalls.telephoneCall)))
        } else {
            report(.ended(.callaudiod, id: id))
        }
    }
}
