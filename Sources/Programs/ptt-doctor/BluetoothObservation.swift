import DBus
import EventLoop

extension BluetoothFacts {
    private static let service = "org.bluez"

    /// `enrolled` are the usable entries of `devices.toml`, of which BlueZ has not been asked.
    @EventLoop
    static func observed(
        on host: Host,
        _ system: Result<BusConnection, BusError>,
        enrolled: [Button]
    ) async -> Result<BluetoothFacts, Silence> {
        let bus: BusConnection
        do throws(BusError) {
            bus = try system.get()
        } catch {
            return .failure(Silence(error))
        }
        var facts = BluetoothFacts(daemon: .running, radios: radios(on: host), buttons: enrolled)
        do throws(BusError) {
            let reply = try await bus.ask(.getManagedObjects(of: service))
            facts.read(reply.first?.asManagedObjects ?? [:])
        } catch {
            switch error.kind {
            case .noReply: facts.daemon = .hung
            case .serviceUnknown: facts.daemon = await absence(bus, host)
            case .disconnected, .unknownObject, .invalidArguments, .accessDenied, .other:
                return .failure(Silence(error))
            }
        }
        return .success(facts)
    }

    private mutating func read(_ objects: [ObjectPath: [BusKey: [BusKey: BusValue]]]) {
        for (path, interfaces) in objects.sorted(by: { $0.key < $1.key }) {
            if let adapter = interfaces["org.bluez.Adapter1"] {
                adapters.append(
                    Adapter(
                        name: path.text.split(separator: "/").last.map { String($0) } ?? path.text,
                        address: adapter["Address"]?.asString ?? "",
                        isPowered: adapter["Powered"]?.asBool ?? false
                    )
                )
            }
            guard let device = interfaces["org.bluez.Device1"] else { continue }
            let address = device["Address"]?.asString?.uppercased()
            for index in buttons.indices where buttons[index].address == address {
                // A device may be known to several adapters.
                let isBlocked = device["Blocked"]?.asBool ?? false
                buttons[index].isBlocked = isBlocked && buttons[index].isBlocked != false
            }
        }
    }

    /// Returns the reason why bluetoothd is not on the bus.
    @EventLoop
    private static func absence(_ bus: BusConnection, _ host: Host) async -> Daemon {
        do throws(BusError) {
            let unit = try await ServiceManager(bus: bus, host: host).unit("bluetooth.service")
            return unit.load == "masked" ? .masked : unit.load == "not-found" ? .notInstalled : .stopped
        } catch {
            // Without systemd nothing more is known.
            return .stopped
        }
    }

    private static func radios(on host: Host) -> [Radio] {
        let directory = host.path("/sys/class/rfkill")
        return Directory.names(in: directory).compactMap { name in
            func value(_ file: String) -> String? { TextFile.firstLine(of: "\(directory)/\(name)/\(file)") }
            guard value("type") == "bluetooth" else { return nil }
            return value("hard") == "1" ? .hardBlocked : value("soft") == "1" ? .softBlocked : .on
        }
    }
}
