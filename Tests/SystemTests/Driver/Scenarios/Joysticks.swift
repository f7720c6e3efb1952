import EventLoop
import Glibc
import Input
import PTTMessages

extension Scenario {
    static let joysticks = [
        Scenario(
            part: 5,
            "a joystick is enrolled by a press of its trigger, and talks while that is held",
            joystick
        ),
        Scenario(
            part: 5,
            "the volume-down key of a sound interface is enrolled, and talks while it is held",
            soundInterface
        ),
        Scenario(
            part: 5,
            "ptt-keys takes that key away from neither its enrolment nor its presses",
            dividedSoundInterface
        ),
        Scenario(part: 5, "a mouse talks with the button that root has granted, and stays a mouse", mouse),
    ]

    private static let trigger = KeyCode(rawValue: 0x120)
    private static let thumb = KeyCode(rawValue: 0x121)
    private static let side = KeyCode(rawValue: 0x113)
    private static let left = KeyCode(rawValue: 0x110)
    private static let axes: [Int32] = [0, 1]

    private static func joystick(_ fixture: GuestFixture) async throws {
        let name = "System Test Joystick"
        let plug = { try await Headset.plugIn(name, keys: [trigger, thumb], axes: axes) }
        var stick = try await plug()
        try await fixture.accessories.open()
        try await until("it is listed") { fixture.accessories.device(named: name)?.link == .unused }
        let application = try await fixture.application()
        let mark = fixture.core.events.count
        try await enrol(name, by: stick, trigger)
        guard fixture.core.beginnings(after: mark) == 0 else {
            throw Failure("a press that has enrolled a joystick has begun a transmission")
        }
        let identifier = try await stick.ready(fixture.accessories)
        try await restoring(by: "sudo -u dev HOME=/home/dev pttctl forget '\(identifier)'") {
            try stick.hold(trigger)
            try await fixture.began(identifier, after: mark)
            try await application.receivesTone()
            try await isUnmoved(stick)
            let stop = fixture.core.events.count
            try stick.release(trigger)
            try await fixture.ends(.released, after: stop)
            // Unplugged while it is held, which is a release, and plugged in again.
            let again = fixture.core.events.count
            try stick.hold(trigger)
            try await fixture.began(identifier, after: again)
            stick.unplug()
            // The kernel may release its keys first.
            _ = try await fixture.core.end(after: again)
            stick = try await plug()
            _ = try await stick.ready(fixture.accessories)
            let last = fixture.core.events.count
            try stick.hold(trigger)
            try await fixture.began(identifier, after: last)
            try stick.release(trigger)
            try await fixture.ends(.released, after: last)
        }
        try await until("its presses count no more") {
            fixture.accessories.device(identifier)?.link == .unused
        }
        stick.unplug()
        application.close()
    }

    /// As radios report their signal by it. Nothing but its name tells udev that it is no keyboard.
    private static func soundInterface(_ fixture: GuestFixture) async throws {
        let name = "System Test Headset Interface"
        let interface = try await Headset.plugIn(name)
        let identifier = try await interface.ready(fixture.accessories)
        // It needs no Bluetooth.
        try await Machine.rfkill(isBlocked: true)
        try await restoring(by: "rfkill unblock bluetooth") {
            try await enrol(name, by: interface, .volumeDown)
        }
        try await restoring(by: "sudo -u dev HOME=/home/dev pttctl forget '\(identifier)'") {
            try await until("only that key is used") {
                fixture.accessories.device(identifier)?.mode == .hold
            }
            let application = try await fixture.application()
            let mark = fixture.core.events.count
            try await interface.press(.playPause)
            try interface.hold(.volumeDown)
            try await fixture.began(identifier, after: mark)
            try await application.receivesTone()
            try interface.release(.volumeDown)
            try await fixture.ends(.released, after: mark)
            guard fixture.core.beginnings(after: mark) == 1 else { throw Failure("another key talks too") }
            application.close()
        }
        try await until("its usual key is used again") {
            fixture.accessories.device(identifier)?.mode == .toggle
        }
        interface.unplug()
    }

    private static func dividedSoundInterface(_ fixture: GuestFixture) async throws {
        try await Machine.root("systemctl start ptt-keys")
        try await restoring(by: "systemctl stop ptt-keys") { try await soundInterface(fixture) }
    }

    /// Presses the key until `pttctl pair` has found it.
    private static func enrol(_ name: String, by device: Headset, _ key: KeyCode) async throws {
        let pair = try Command(["pttctl", "pair", name])
        try await eventually("the press is found") {
            try await device.press(key)
            return await Conditions.wait(.seconds(1)) { pair.status != nil }
        }
        guard pair.status == 0, pair.output.contains("\(key)") else {
            throw Failure("pttctl pair ended with \(pair.status ?? 0): \(pair.output)")
        }
    }

    /// The kernel wakes ptt-accessoryd neither for an axis nor for another button.
    private static func isUnmoved(_ stick: Headset) async throws {
        let processID = try await Machine.processID(of: "ptt-accessoryd")
        let before = try voluntarySwitches(of: processID)
        for move in 0..<1000 {
            try stick.move(axes[move % 2], to: Int32(move % 255) - 127)
            if move % 10 == 0 { try stick.tap(thumb) }
        }
        let woken = try voluntarySwitches(of: processID) - before
        guard woken < 50 else { throw Failure("1000 movements have woken ptt-accessoryd \(woken) times") }
    }

    private static func mouse(_ fixture: GuestFixture) async throws {
        try await Machine.root("pttctl grant --yes 1a86:e027 BTN_SIDE")
        let mouse = try await Headset.plugIn(
            "System Test Mouse",
            keys: [left, side],
            axes: axes,
            id: .init(bus: InputNode.ID.usb, vendor: 0x1a86, product: 0xe027)
        )
        let identifier = try await mouse.ready(fixture.accessories)
        let desktop = try OtherReader(mouse.node, keys: [left, side])
        let application = try await fixture.application()
        let mark = fixture.core.events.count
        try mouse.tap(left)
        try mouse.hold(side)
        try await fixture.began(identifier, after: mark)
        try await application.receivesTone()
        try await until("the desktop has received both") { desktop.pressed == [left, side] }
        let stop = fixture.core.events.count
        try mouse.release(side)
        try await fixture.ends(.released, after: stop)
        guard fixture.core.beginnings(after: mark) == 1 else { throw Failure("another button talks too") }
        try await Machine.root("pttctl revoke 1a86:e027")
        try await until("ptt-accessoryd has closed it") { fixture.accessories.device(identifier) == nil }
        application.close()
        mouse.unplug()
    }
}
