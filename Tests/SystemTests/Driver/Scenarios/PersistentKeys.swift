import EventLoop
import Glibc
import PTTMessages

extension Scenario {
    static let persistentKeys = [
        Scenario(
            part: 5,
            "the key of a Bluetooth device is held while its link is lost and its node stays: the transmission ends",
            heldWithoutLink
        )
    ]

    private static func heldWithoutLink(_ fixture: GuestFixture) async throws {
        // Its address is enrolled, and bluetoothd is connected with it.
        try await fixture.paired(.ffe0)
        try await Machine.root("modprobe uhid && chmod 666 /dev/uhid")
        let name = "System Test Headset"
        let key = try Command([
            "/opt/guest/hid-node", name,
            Button.ffe0.address.lowercased(), Machine.adapterAddress.lowercased(),
        ])
        defer { key.signal(SIGTERM) }
        func isUsed(_ isUsed: Bool) async throws {
            try await until("its key is \(isUsed ? "" : "not ")used") {
                fixture.accessories.device(named: name).map { $0.link == .ready } == isUsed
            }
        }
        try await isUsed(true)
        let identifier = fixture.accessories.device(named: name)?.identifier ?? ""
        let application = try await fixture.application()
        var mark = fixture.core.events.count
        key.signal(SIGUSR1)
        try await fixture.began(identifier, after: mark)
        try await application.receivesTone()
        mark = fixture.core.events.count
        try await ButtonSimulator.perform("vanish", on: .ffe0, with: "0.5")
        try await fixture.ends(.deviceRemoved, after: mark)
        try await isSilent(application, fixture)
        try await isUsed(false)
        try await ButtonSimulator.perform("return", on: .ffe0)
        try await isUsed(true)
        // It is still down, which nobody has seen happen.
        key.signal(SIGUSR2)
        try await nothingBegins(fixture, after: mark)
        mark = fixture.core.events.count
        key.signal(SIGUSR1)
        try await fixture.began(identifier, after: mark)
        let stop = fixture.core.events.count
        key.signal(SIGUSR2)
        try await fixture.ends(.released, after: stop)
        application.close()
    }
}
