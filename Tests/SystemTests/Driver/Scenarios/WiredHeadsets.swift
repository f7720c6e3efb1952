import EventLoop
import Input
import PTTMessages

extension Scenario {
    static let wiredHeadsets = [
        Scenario(part: 5, "one press of a headset's key begins a transmission, the next ends it", toggles),
        Scenario(part: 5, "a headset that is unplugged while it transmits ends the transmission", unplugged),
        Scenario(
            part: 5,
            "the volume keys of a headset reach others while a channel is joined",
            leavesVolumeKeys
        ),
        Scenario(
            part: 5,
            "the only key of a headset belongs to push-to-talk while a channel is joined",
            ownsTheKey
        ),
        Scenario(
            part: 19,
            "the only key of a headset belongs to push-to-talk while a call application records",
            ownsTheKeyInACall
        ),
        Scenario(part: 5, "a keyboard is never opened", avoidsKeyboards),
        Scenario(part: 5, "a headset at a USB port works the same way", usbHeadset),
    ]

    private static func toggles(_ fixture: GuestFixture) async throws {
        let headset = try await Headset.plugIn("System Test Headset")
        let identifier = try await headset.ready(fixture.accessories)
        let application = try await fixture.application()
        for _ in 1...2 {
            var mark = fixture.core.events.count
            try await headset.press(.playPause)
            try await fixture.began(identifier, after: mark)
            try await application.receivesTone()
            mark = fixture.core.events.count
            try await headset.press(.playPause)
            try await fixture.ends(.released, after: mark)
            try await isSilent(application, fixture)
        }
        application.close()
        headset.unplug()
    }

    private static func unplugged(_ fixture: GuestFixture) async throws {
        let application = try await fixture.application()
        for run in 1...2 {
            let headset = try await Headset.plugIn("System Test Headset")
            let identifier = try await headset.ready(fixture.accessories)
            var mark = fixture.core.events.count
            try await headset.press(.playPause)
            try await fixture.began(identifier, after: mark)
            try await application.receivesTone()
            mark = fixture.core.events.count
            if run == 2 {
                // Plugged in again it works as before.
                try await headset.press(.playPause)
                try await fixture.ends(.released, after: mark)
            }
            headset.unplug()
            if run == 1 { try await fixture.ends(.deviceRemoved, after: mark) }
            try await until("ptt-accessoryd has lost it") { fixture.accessories.device(identifier) == nil }
            try await isSilent(application, fixture)
        }
        application.close()
    }

    private static func leavesVolumeKeys(_ fixture: GuestFixture) async throws {
        let headset = try await Headset.plugIn("System Test Headset")
        let other = try OtherReader(headset.node)
        let identifier = try await headset.ready(fixture.accessories)
        let application = try await fixture.application()
        let mark = fixture.core.events.count
        try await headset.press(.playPause)
        try await fixture.began(identifier, after: mark)
        try await application.receivesTone()
        try await headset.press(.volumeUp)
        try await headset.press(.volumeDown)
        try await until("the volume keys reach the other reader") {
            other.pressed.contains(.volumeUp) && other.pressed.contains(.volumeDown)
        }
        try await headset.press(.playPause)
        try await fixture.ends(.released, after: mark)
        application.close()
        headset.unplug()
    }

    private static func ownsTheKey(_ fixture: GuestFixture) async throws {
        let headset = try await Headset.plugIn("System Test Headset", keys: [.playPause])
        let other = try OtherReader(headset.node)
        let identifier = try await headset.ready(fixture.accessories)
        try await headset.press(.playPause)
        try await until("without a channel the media player gets the key") { other.pressed.count == 1 }
        let application = try await fixture.application()
        let mark = fixture.core.events.count
        try await onlyPushToTalkGets(headset, beside: other, after: mark, fixture)
        let stop = fixture.core.events.count
        try await fixture.began(identifier, after: mark)
        try await application.receivesTone()
        headset.unplug()
        try await fixture.ends(.deviceRemoved, after: stop)
        application.close()
    }

    private static func ownsTheKeyInACall(_ fixture: GuestFixture) async throws {
        let headset = try await Headset.plugIn("System Test Headset", keys: [.playPause])
        let other = try OtherReader(headset.node)
        let identifier = try await headset.ready(fixture.accessories)
        try await headset.press(.playPause)
        try await until("without a call the media player gets the key") { other.pressed.count == 1 }
        let application = try await CallApplication.record(fixture.core)
        let mark = fixture.core.events.count
        try await onlyPushToTalkGets(headset, beside: other, after: mark, fixture)
        try await fixture.began(identifier, after: mark)
        try await application.recordsTone()
        let stop = fixture.core.events.count
        try await headset.press(.playPause)
        try await fixture.ends(.released, after: stop)
        try await application.recordsSilence()
        application.close()
        try await eventually("after the call the media player gets the key") {
            let seen = other.pressed.count
            try await headset.press(.playPause)
            return await Conditions.wait(.seconds(1)) { other.pressed.count > seen }
        }
        headset.unplug()
    }

    /// Presses until only push-to-talk gets the key. The first press may come before ptt-accessoryd is
    /// notified that it has a use: then it reaches both, others and the core.
    private static func onlyPushToTalkGets(
        _ headset: Headset,
        beside other: OtherReader,
        after mark: Int,
        _ fixture: GuestFixture
    ) async throws {
        try await eventually("only push-to-talk gets the key") {
            let seen = other.pressed.count
            let begun = fixture.core.beginnings(after: mark)
            try await headset.press(.playPause)
            return await !Conditions.wait(.seconds(1)) { other.pressed.count > seen }
                && fixture.core.beginnings(after: mark) > begun
        }
    }

    private static func avoidsKeyboards(_ fixture: GuestFixture) async throws {
        let escToKeypadDot = (1...83).map { KeyCode(rawValue: $0) }
        let (q, w, space) = (KeyCode(rawValue: 16), KeyCode(rawValue: 17), KeyCode(rawValue: 57))
        let keyboard = try await Headset.plugIn(
            "System Test Keyboard Headset",
            keys: Set(escToKeypadDot + [.playPause])
        )
        // udev does not classify this one as a keyboard, so that the rule classifies it as a headset.
        let keypad = try await Headset.plugIn("System Test Keypad Headset", keys: [q, w, space, .playPause])
        // The last one: when ptt-accessoryd has it, it has seen the others.
        let headset = try await Headset.plugIn("System Test Headset")
        _ = try await headset.ready(fixture.accessories)
        let processID = try await Machine.processID(of: "ptt-accessoryd")
        let opened = try await Machine.openInputDevices(of: processID).split(separator: "\n").map {
            String($0)
        }
        guard opened == [headset.node.devnode] else {
            throw Failure(
                "it has \(opened) open; headset \(headset.node.devnode), keyboards \(keyboard.node.devnode) "
                    + keypad.node.devnode
            )
        }
        for device in [keyboard, keypad, headset] { device.unplug() }
    }

    private static func usbHeadset(_ fixture: GuestFixture) async throws {
        try await Machine.root("usb-headset up")
        var failure: (any Error)?
        do { try await useUSBHeadset(fixture) } catch { failure = error }
        try await Machine.root("usb-headset down")
        if let failure { throw failure }
    }

    private static func useUSBHeadset(_ fixture: GuestFixture) async throws {
        let name = "Simulated USB Headset"
        try await fixture.accessories.open()
        let application = try await fixture.application()
        for _ in 1...2 {
            try await Machine.root("usb-headset plug")
            try await until("ptt-accessoryd uses it") {
                fixture.accessories.device(named: name)?.link == .ready
            }
            let identifier = fixture.accessories.device(named: name)?.identifier ?? ""
            let mark = fixture.core.events.count
            try await Machine.root("usb-headset tap play")
            try await fixture.began(identifier, after: mark)
            try await application.receivesTone()
            try await Machine.root("usb-headset unplug")
            try await fixture.ends(.deviceRemoved, after: mark)
        }
        application.close()
    }
}
