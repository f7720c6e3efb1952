import DBus
import EventLoop
import Journal
import PTTCore

/// The calls of oFono's modems (`manager-api.txt`, `modem-api.txt`, `voicecallmanager-api.txt`,
/// `voicecall-api.txt`).
@EventLoop
final class OFonoCalls: CallService {
    /// The modems that can make calls. A call's path is below that of its modem.
    private var modems: Set<ObjectPath> = []

    private static let manager = "org.ofono.Manager"
    private static let modem = "org.ofono.Modem"
    private static let voice = "org.ofono.VoiceCallManager"
    private static let call = "org.ofono.VoiceCall"
    private static let modemLimit = 16

    init(log: RateLimitedLog, report: @escaping @EventLoop (ActiveCalls.Event) -> Void) {
        super.init("org.ofono", .oFono, log: log, report: report)
    }

    override func lose() {
        modems = []
        super.lose()
    }

    override func subscribe() {
        subscribe(to: Self.voice, "CallAdded") { [weak self] in self?.set($0.arguments) }
        subscribe(to: Self.voice, "CallRemoved") { [weak self] signal in
            guard let path = signal.arguments.first?.asObjectPath else { return }
            self?.setCall(path.text, isActive: false)
        }
        subscribe(to: Self.call, "PropertyChanged", firstArgument: "State") { [weak self] signal in
            self?.set(signal.path, state: signal.arguments.last)
        }
        subscribe(to: Self.manager, "ModemAdded", path: "/") { [weak self] in
            self?.set(modem: $0.arguments)
        }
        subscribe(to: Self.manager, "ModemRemoved", path: "/") { [weak self] signal in
            if let path = signal.arguments.first?.asObjectPath { self?.set(modem: path, interfaces: []) }
        }
        // oFono reports the calls that a modem had as removed in neither of these cases.
        subscribe(to: Self.modem, "PropertyChanged", firstArgument: "Interfaces") { [weak self] signal in
            guard let interfaces = signal.arguments.last?.asStrings else { return }
            self?.set(modem: signal.path, interfaces: interfaces)
        }
    }

    override func list() {
        let get = RemoteInterface(service: name, path: "/", name: Self.manager).call("GetModems")
        ask(get) { [weak self] values in
            guard let self else { return }
            let listed = (values?.first?.asArray ?? []).compactMap(\.asStructure).prefix(Self.modemLimit)
            let paths = Set(listed.compactMap { $0.first?.asObjectPath })
            for gone in modems.subtracting(paths) { set(modem: gone, interfaces: []) }
            // Again also those that were known: their signals may have been missed.
            modems = []
            for modem in listed { set(modem: modem) }
        }
    }

    /// - Parameter description: The path and the properties of a modem.
    private func set(modem description: [BusValue]) {
        guard description.count == 2, let path = description[0].asObjectPath else { return }
        let interfaces = description[1].asProperties?["Interfaces"]?.asStrings
        set(modem: path, interfaces: interfaces ?? [])
    }

    private func set(modem path: ObjectPath, interfaces: [String]) {
        guard interfaces.contains(where: { BusKey($0) == BusKey(Self.voice) }) else {
            modems.remove(path)
            return report(.retained(.oFono, prefix: path.text + "/", ids: []))
        }
        guard modems.count < Self.modemLimit, modems.insert(path).inserted else { return }
        let get = RemoteInterface(service: name, path: path, name: Self.voice).call("GetCalls")
        ask(get) { [weak self] values in
            let calls = (values?.first?.asArray ?? []).compactMap(\.asStructure)
            let paths = calls.compactMap { $0.first?.asObjectPath?.text }
            self?.report(.retained(.oFono, prefix: path.text + "/", ids: Set(paths)))
            for call in calls { self?.set(call) }
        }
    }

    /// - Parameter description: The path and the properties of a call.
    private func set(_ description: [BusValue]) {
        guard description.count == 2, let path = description[0].asObjectPath else { return }
        set(path, state: description[1].asProperties?["State"])
    }

    private func set(_ path: ObjectPath, state: BusValue?) {
        guard let state = state?.asString else { return }
        // The other states are active, held, dialing, alerting, incoming and waiting.
        setCall(path.text, isActive: BusKey(state) != "disconnected")
    }
}
