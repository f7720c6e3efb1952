import EventLoop
import Glibc
import PTTMessages

extension Scenario {
    /// Of a person who is in no group that may open serial ports.
    static let serialSwitches = [
        Scenario(
            part: 5,
            "a serial adapter that root has not granted is not opened, and not listed",
            ordinaryAdapter
        ),
        Scenario(
            part: 5,
            "a foot switch at a granted serial adapter is found by a press, and talks while it is held",
            footSwitch
        ),
        Scenario(
            part: 5,
            "a foot switch is released by the end of its adapter, of the session and of ptt-accessoryd",
            losses
        ),
    ]

    private static let name = "Serial Adapter"
    private static let product = "1234:567a"

    /// While it is held, DSR and DCD of the adapter are on.
    @EventLoop
    private final class FootSwitch {
        private var end: OwnedDescriptor?

        func press() throws {
            let end = OwnedDescriptor(
                adopting: open("/dev/ttyGS0", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
            )
            guard end.value >= 0 else { throw Failure("the switch cannot be pressed: errno \(errno)") }
            self.end = consume end
        }

        func release() { end = nil }

        /// A line that is on when a port is opened is no press.
        func pressUntilItCounts(_ fixture: GuestFixture, _ identifier: String, after mark: Int) async throws {
            try await eventually("a press begins a transmission") {
                release()
                _ = await Conditions.wait(.milliseconds(200)) { false }
                try press()
                return await Conditions.wait(.seconds(2)) { fixture.core.beginnings(after: mark) > 0 }
            }
            try await fixture.began(identifier, after: mark)
        }
    }

    private static func openPorts() async throws -> String {
        let processID = try await Machine.processID(of: "ptt-accessoryd")
        return try await Machine.root("ls -l /proc/\(processID)/fd | grep -o '/dev/ttyACM.*' || true")
    }

    private static func ordinaryAdapter(_ fixture: GuestFixture) async throws {
        try await restoring(by: "usb-serial down") {
            try await atTheScreen { _ in
                try await fixture.accessories.open()
                try await Machine.root("usb-serial plug")
                try await never("it is listed", for: .seconds(2)) {
                    fixture.accessories.device(named: name) != nil
                }
                guard try await openPorts().isEmpty else { throw Failure("its port was opened") }
            }
        }
    }

    /// Grants, plugs in and enrols the adapter, and undoes all of it afterwards.
    private static func enrolled(
        _ fixture: GuestFixture,
        _ body: @EventLoop (FootSwitch, _ identifier: String, Seat.Session) async throws -> Void
    ) async throws {
        try await Machine.root("pttctl grant \(product) serial")
        try await restoring(by: "usb-serial down; pttctl revoke \(product)") {
            try await atTheScreen { own in
                try await Machine.root("usb-serial plug")
                try await fixture.accessories.open()
                try await fixture.core.open()
                try await until("it is listed") { fixture.accessories.device(named: name)?.link == .unused }
                guard try await openPorts().isEmpty else {
                    throw Failure("its port is open before it is enrolled")
                }
                let mark = fixture.core.events.count
                let foot = FootSwitch()
                let identifier = fixture.accessories.device(named: name)?.identifier ?? ""
                try await restoring(by: "sudo -u dev HOME=/home/dev pttctl forget '\(identifier)'") {
                    try await enrol(foot)
                    try await fixture.accessories.reachesCore()
                    try await until("it is used") { fixture.accessories.device(identifier)?.link == .ready }
                    // It is held still.
                    try await nothingBegins(fixture, after: mark)
                    foot.release()
                    try await body(foot, identifier, own)
                }
            }
        }
    }

    private static func enrol(_ foot: FootSwitch) async throws {
        let pair = try Command(["pttctl", "pair", name])
        try await eventually("the press is found") {
            foot.release()
            _ = await Conditions.wait(.milliseconds(200)) { false }
            try foot.press()
            return await Conditions.wait(.seconds(1)) { pair.status != nil }
        }
        guard pair.status == 0, pair.output.contains("DSR") || pair.output.contains("DCD") else {
            throw Failure("pttctl pair ended with \(pair.status ?? 0): \(pair.output)")
        }
    }

    private static func footSwitch(_ fixture: GuestFixture) async throws {
        try await enrolled(fixture) { foot, identifier, _ in
            let application = try await fixture.application()
            let first = fixture.core.events.count
            try await foot.pressUntilItCounts(fixture, identifier, after: first)
            try await application.receivesTone()
            foot.release()
            try await fixture.ends(.released, after: first)
            try await sleepsWhileIdle()
            for _ in 0..<10 {
                let mark = fixture.core.events.count
                try foot.press()
                try await fixture.began(identifier, after: mark)
                foot.release()
                try await fixture.ends(.released, after: mark)
                guard fixture.core.beginnings(after: mark) == 1 else {
                    throw Failure("a press has begun twice")
                }
            }
            application.close()
        }
        try await until("it is listed no more") { fixture.accessories.device(named: name) == nil }
    }

    /// Its thread included.
    private static func sleepsWhileIdle() async throws {
        let processID = try await Machine.processID(of: "ptt-accessoryd")
        // What the release has caused.
        _ = await Conditions.wait(.seconds(2)) { false }
        let before = try voluntarySwitches(of: processID)
        _ = await Conditions.wait(.seconds(10)) { false }
        let woken = try voluntarySwitches(of: processID) - before
        // The watchdog wakes it every five seconds.
        guard woken < 6 else { throw Failure("ptt-accessoryd has woken \(woken) times in ten seconds") }
    }

    private static func losses(_ fixture: GuestFixture) async throws {
        try await enrolled(fixture) { foot, identifier, own in
            let application = try await fixture.application()
            var mark = fixture.core.events.count
            try await foot.pressUntilItCounts(fixture, identifier, after: mark)
            try await Machine.root("usb-serial unplug")
            try await fixture.ends(.deviceRemoved, after: mark)
            // Held while it is plugged in again.
            foot.release()
            try foot.press()
            mark = fixture.core.events.count
            try await Machine.root("usb-serial plug")
            try await until("it is used again") { fixture.accessories.device(identifier)?.link == .ready }
            try await nothingBegins(fixture, after: mark)
            try await foot.pressUntilItCounts(fixture, identifier, after: mark)
            mark = fixture.core.events.count
            let other = try await Seat.logIn("root", terminal: 4)
            try await other.activate()
            try await fixture.ends(.sessionInactive, .deviceRemoved, after: mark)
            try await eventually("its port is closed") { try await openPorts().isEmpty }
            try await own.activate()
            try await until("it is used again") { fixture.accessories.device(identifier)?.link == .ready }
            try await nothingBegins(fixture, after: mark)
            try await foot.pressUntilItCounts(fixture, identifier, after: mark)
            mark = fixture.core.events.count
            try await Machine.kill("ptt-accessoryd")
            _ = try await fixture.core.end(after: mark)
            application.close()
        }
    }
}
