import EventLoop
import PTTMessages

extension Scenario {
    /// The media keys of a Bluetooth headset (AVRCP), which its in-ear detection may press too.
    static let remoteControls = [
        Scenario(
            part: 17,
            "the keys of a Bluetooth headset press nothing before it is enrolled, and after pttctl forget",
            onlyWhileEnrolled
        ),
        Scenario(
            part: 17,
            "the link of an enrolled Bluetooth headset is lost: the transmission ends",
            lostLink
        ),
        Scenario(
            part: 17,
            "a Bluetooth headset that sends PAUSE when an earbud is taken out is not enrolled",
            earbuds
        ),
    ]

    private static func earbuds(_ fixture: GuestFixture) async throws {
        try await RemoteControl.inUse(fixture) { headset in
            try await headset.isRefusedForItsEarbuds()
            let application = try await fixture.application()
            try await headset.pressesNothing()
            application.close()
        }
    }

    private static func onlyWhileEnrolled(_ fixture: GuestFixture) async throws {
        try await RemoteControl.inUse(fixture) { headset in
            let application = try await fixture.application()
            try await headset.pressesNothing()
            try await headset.enrol()
            try await headset.begin(for: application)
            try await headset.end()
            try await isSilent(application, fixture)
            try await headset.forget()
            try await headset.connect()
            try await headset.pressesNothing()
            application.close()
        }
    }

    private static func lostLink(_ fixture: GuestFixture) async throws {
        try await RemoteControl.inUse(fixture) { headset in
            try await headset.enrol()
            let application = try await fixture.application()
            try await headset.begin(for: application)
            let mark = fixture.core.events.count
            try await ButtonSimulator.perform("vanish", on: RemoteControl.button, with: "0.5")
            try await fixture.ends(.deviceRemoved, after: mark)
            try await isSilent(application, fixture)
            try await ButtonSimulator.perform("return", on: RemoteControl.button)
            try await headset.open()
            guard fixture.core.beginnings(after: mark) == 0 else {
                throw Failure("a transmission began when the headset came back")
            }
            try await headset.begin(for: application)
            try await headset.end()
            application.close()
        }
    }
}

/// A headset whose media keys are used. It has a serial port as well, so that its file has to be named.
@EventLoop
private struct RemoteControl {
    static let button = Button(
        key: "headset",
        file: "serial-ptt",
        name: "HEADSET-1",
        address: "00:1B:DC:00:00:79"
    )

    let fixture: GuestFixture

    /// Switched on, paired and trusted by the desktop, its keys there; afterwards unknown to everything.
    static func inUse(
        _ fixture: GuestFixture,
        _ body: @EventLoop (RemoteControl) async throws -> Void
    ) async throws {
        let headset = RemoteControl(fixture: fixture)
        try await fixture.accessories.open()
        try await ButtonSimulator.add(button)
        do {
            try await headset.connect()
            try await body(headset)
        } catch {
            _ = try? await Command.run(["pttctl", "forget", button.address])
            throw error
        }
        try await Command.output(of: ["pttctl", "forget", button.address])
    }

    func connect() async throws {
        try await Machine.bonded(Self.button)
        try await open()
    }

    /// Opens AVRCP; returns when its keys are listed.
    func open() async throws {
        let remoteControl = "0000110e-0000-1000-8000-00805f9b34fb"
        try await eventually("its remote control is open") {
            let path = Machine.path(of: Self.button)
            return try await Command.run([
                "busctl", "--system", "--timeout=60", "call", "org.bluez", path, "org.bluez.Device1",
                "ConnectProfile", "s", remoteControl,
            ]).status == 0
        }
        try await until("its keys are listed") { entry != nil }
    }

    func enrol() async throws {
        try await fixture.pair(
            Self.button,
            "--accessory",
            "headset-avrcp",
            press: { _ in try await key("PLAY", "down") },
            release: { _ in try await key("PLAY", "up") }
        )
        try await until("its keys are used, and nothing else of it is listed") {
            entry?.link == .ready
                && fixture.accessories.devices?.count { $0.identifier == Self.button.address } == 1
        }
        try await fixture.accessories.reachesCore()
    }

    func isRefusedForItsEarbuds() async throws {
        let command = try Command(["pttctl", "pair", Self.button.name, "--accessory", "headset-avrcp"])
        let steps = [
            ("now press", "PLAY", "down"), ("now release", "PLAY", "up"),
            ("take one out", "PAUSE", "down"),
        ]
        for (prompt, name, edge) in steps {
            try await until("pttctl pair asks: \(prompt)", within: .seconds(150)) {
                command.output.contains(prompt) || command.status != nil
            }
            try await key(name, edge)
        }
        guard try await command.end() != 0, command.output.contains("in-ear detection") else {
            throw Failure("it is not refused: \(command.output)")
        }
        try await key("PAUSE", "up")
        try await until("it is not used") { entry?.link == .unused }
    }

    func forget() async throws {
        try await Command.output(of: ["pttctl", "forget", Self.button.address])
        try await ButtonSimulator.perform("forget", on: Self.button)
        try await until("it is forgotten") { entry == nil }
    }

    func begin(for application: Application) async throws {
        let mark = fixture.core.events.count
        try await tap("PLAY")
        try await fixture.began(Self.button.address, after: mark)
        try await application.receivesTone()
    }

    func end() async throws {
        let mark = fixture.core.events.count
        try await tap("PAUSE")
        try await fixture.ends(.released, after: mark)
    }

    func pressesNothing() async throws {
        guard entry?.link == .unused else {
            throw Failure("it is used: \(entry.map { "\($0)" } ?? "not listed")")
        }
        let mark = fixture.core.events.count
        try await tap("PLAY")
        try await Scenario.nothingBegins(fixture, after: mark)
        try await tap("PAUSE")
        try await Scenario.nothingBegins(fixture, after: mark)
        try await Machine.nothingRecords()
    }

    private func tap(_ name: String) async throws {
        try await key(name, "down")
        try await key(name, "up")
    }

    private func key(_ name: String, _ edge: String) async throws {
        try await ButtonSimulator.perform("key", on: Self.button, with: "\(name) \(edge)")
    }

    /// Of its keys; its serial port has an entry of its own.
    private var entry: AccessoryDevice? {
        fixture.accessories.devices?.first {
            $0.identifier == Self.button.address && $0.kind == .bluetoothHeadset
        }
    }
}
