import EventLoop
import PTTMessages

extension Scenario {
    /// The classic speaker microphone: bluetoothd opens its serial port, or ptt-accessoryd does.
    static let serialMicrophones =
        [
            Scenario(
                part: 15,
                "a paired serial microphone carries the microphone while it is held",
                pressAndRelease
            ),
            Scenario(
                part: 15,
                "a serial microphone that was out of reach is connected when it returns",
                outOfReach
            ),
        ] + serialFaults + [
            Scenario(
                part: 15,
                "a serial microphone whose port bluetoothd cannot open is connected directly",
                refusedThreeTimes
            )
        ]

    /// Each fault on the path to a held microphone ends the transmission, and the microphone comes back by
    /// itself.
    private static let serialFaults = [
        serialFault("it disconnects") { try await ButtonSimulator.perform("disconnect", on: .microphone) },
        serialFault("it closes its serial port") {
            try await ButtonSimulator.perform("close-serial", on: .microphone)
        },
        serialFault(
            "the link is lost",
            { try await ButtonSimulator.perform("vanish", on: .microphone, with: "0.5") },
            cure: { try await ButtonSimulator.perform("return", on: .microphone) }
        ),
        serialFault(
            "the adapter is switched off",
            { try await Machine.powerAdapter(false) },
            cure: { try await Machine.powerAdapter(true) }
        ),
        serialFault(
            "rfkill blocks the radio",
            { try await Machine.rfkill(isBlocked: true) },
            cure: { try await Machine.rfkill(isBlocked: false) }
        ),
        // The kernel's socket lives on, and would go on carrying presses.
        serialFault("bluetoothd is killed") { try await Machine.killBluetoothDaemon() },
    ]

    private static func serialFault(
        _ what: String,
        _ fault: @escaping @EventLoop () async throws -> Void,
        cure: @escaping @EventLoop () async throws -> Void = {}
    ) -> Scenario {
        Scenario(part: 15, "\(what) while a serial microphone is held: the transmission ends") { fixture in
            try await fixture.paired(.microphone)
            let application = try await fixture.application()
            try await fixture.press(.microphone, for: application)
            let mark = fixture.core.events.count
            try await fault()
            try await fixture.ends(.linkLost, after: mark)
            try await isSilent(application, fixture)
            try await cure()
            try await fixture.ready(.microphone)
            guard fixture.core.beginnings(after: mark) == 0 else {
                throw Failure("a transmission began when the microphone came back")
            }
            try await fixture.talk(.microphone, to: application)
            application.close()
        }
    }

    private static func pressAndRelease(_ fixture: GuestFixture) async throws {
        try await fixture.paired(.microphone)
        let application = try await fixture.application()
        try await fixture.talk(.microphone, to: application)
        try await isSilent(application, fixture)
        application.close()
    }

    private static func outOfReach(_ fixture: GuestFixture) async throws {
        try await fixture.paired(.microphone)
        try await ButtonSimulator.perform("vanish", on: .microphone, with: "0.5")
        try await until("its absence is reported") {
            fixture.accessories.device(Button.microphone.address)?.remark?.hasPrefix("it does not answer")
                == true
        }
        try await ButtonSimulator.perform("return", on: .microphone)
        try await fixture.ready(.microphone)
        let application = try await fixture.application()
        try await fixture.talk(.microphone, to: application)
        application.close()
    }

    private static func refusedThreeTimes(_ fixture: GuestFixture) async throws {
        try await fixture.paired(.microphone)
        let before = try await directConnections()
        try await ButtonSimulator.perform("refuse-serial", on: .microphone, with: "3")
        try await ButtonSimulator.perform("close-serial", on: .microphone)
        try await until("the port is closed") {
            fixture.accessories.device(Button.microphone.address)?.link == .away
        }
        try await fixture.ready(.microphone)
        guard try await directConnections() > before else {
            throw Failure("the port was not opened directly")
        }
        let application = try await fixture.application()
        try await fixture.talk(.microphone, to: application)
        try await fixture.press(.microphone, for: application)
        let mark = fixture.core.events.count
        try await Machine.killBluetoothDaemon()
        try await fixture.ends(.linkLost, after: mark)
        try await isSilent(application, fixture)
        try await fixture.ready(.microphone)
        try await fixture.talk(.microphone, to: application)
        application.close()
    }

    private static func directConnections() async throws -> Int {
        let text = try await Machine.root(
            "journalctl _SYSTEMD_USER_UNIT=ptt-accessoryd.service | grep -c 'opened without bluetoothd' || true"
        )
        return Int(text.filter(\.isNumber)) ?? 0
    }
}
