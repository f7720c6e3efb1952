import EventLoop
import Input
import PTTMessages

extension Scenario {
    static let wiredHeadsets = [
        Scenario(5, "one press of a headset's key begins a transmission, the next ends it", toggles),
        Scenario(5, "a headset that is unplugged while it transmits ends the transmission", unplugged),
        Scenario(5, "the volume keys of a headset reach others while a channel is joined", leavesVolumeKeys),
        Scenario(
            5,
            "the only key of a headset belongs to push-to-talk while a channel is joined",
            ownsTheKey
        ),
        Scenario(5, "a keyboard is never opened", avoidsKeyboards),
        Scenario(5, "a headset at a USB port works the same way", usbHeadset),
    ]

    private static func toggles(_ lab: Lab) async throws {
        let headset = try await Headset.plugIn("System Test Headset")
        let identifier = try await headset.ready(lab.accessories)
        let application = try await lab.application()
        for _ in 1...2 {
            var mark = lab.core.events.count
            try headset.press(.playPause)
            try await lab.began(identifier, after: mark)
            try await application.hearsTone()
            mark = lab.core.events.count
            try headset.press(.playPause)
            try await lab.ends(.released, after: mark)
            try await isSilent(application, lab)
        }
        application.close()
        headset.unplug()
    }

    private static func unplugged(_ lab: Lab) async throws {
        let application = try await lab.application()
        for run in 1...2 {
            let headset = try await Headset.plugIn("System Test Headset")
            let identifier = try await headset.ready(lab.accessories)
            var mark = lab.core.events.count
            try headset.press(.playPause)
            try await lab.began(identifier, after: mark)
            try await application.hearsTone()
            mark = lab.core.events.count
            if run == 2 {
                // Plugged in again it works as before.
                try headset.press(.playPause)
                try await lab.ends(.released, after: mark)
            }
            headset.unplug()
            if run == 1 { try await lab.ends(.deviceRemoved, after: mark) }
            try await until("ptt-accessoryd has lost it") { lab.accessories.device(identifier) == nil }
            try await isSilent(application, lab)
        }
        application.close()
    }

    private static func leavesVolumeKeys(_ lab: Lab) async throws {
        let headset = try await Headset.plugIn("System Test Headset")
        let other = try OtherReader(headset.node)
        let identifier = try await headset.ready(lab.accessories)
        let application = try await lab.application()
        let mark = lab.core.events.count
        try headset.press(.playPause)
        try await lab.began(identifier, after: mark)
        try await application.hearsTone()
        try headset.press(.volumeUp)
        try headset.press(.volumeDown)
        try await until("the volume keys reach the other reader") {
            other.pressed.contains(.volumeUp) && other.pressed.contains(.volumeDown)
        }
        try headset.press(.playPause)
        try await lab.ends(.released, after: mark)
        application.close()
        headset.unplug()
    }

    private static func ownsTheKey(_ lab: Lab) async throws {
        let headset = try await Headset.plugIn("System Test Headset", keys: [.playPause])
        let other = try OtherReader(headset.node)
        let identifier = try await headset.ready(lab.accessories)
        try headset.press(.playPause)
        try await until("without a channel the media player gets the key") { other.pressed.count == 1 }
        let application = try await lab.application()
        let mark = lab.core.events.count
        // The first press may come before ptt-accessoryd knows of the channel: then others see it, and so does the core.
        try await eventually("only push-to-talk gets the key") {
            let seen = other.pressed.count
            let begun = lab.core.beginnings(after: mark)
            try headset.press(.playPause)
            return await !Sightings.wait(.seconds(1)) { other.pressed.count > seen }
                && lab.core.beginnings(after: mark) > begun
        }
        let stop = lab.core.events.count
        try await lab.began(identifier, after: mark)
        try await application.hearsTone()
        headset.unplug()
        try await lab.ends(.deviceRemoved, after: stop)
        application.close()
    }

    private static func avoidsKeyboards(_ lab: Lab) async throws {
        let escToKeypadDot = (1...83).map { KeyCode(rawValue: $0) }
        let (q, w, space) = (KeyCode(rawValue: 16), KeyCode(rawValue: 17), KeyCode(rawValue: 57))
        let keyboard = try await Headset.plugIn(
            "System Test Keyboard Headset",
            keys: Set(escToKeypadDot + [.playPause])
        )
        // udev does not call this one a keyboard, and the rule takes it for a headset.
        let keypad = try await Headset.plugIn("System Test Keypad Headset", keys: [q, w, space, .playPause])
        // The last one to come: when ptt-accessoryd has it, it has seen the others.
        let headset = try await Headset.plugIn("System Test Headset")
        _ = try await headset.ready(lab.accessories)
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

    private static func usbHeadset(_ lab: Lab) async throws {
        try await Machine.root("usb-headset up")
        var failure: (any Error)?
        do { try await useUSBHeadset(lab) } catch { failure = error }
        try await Machine.root("usb-headset down")
        if let failure { throw failure }
    }

    private static func useUSBHeadset(_ lab: Lab) async throws {
        let name = "Simulated USB Headset"
        try await lab.accessories.open()
        let application = try await lab.application()
        for _ in 1...2 {
            try await Machine.root("usb-headset plug")
            try await until("ptt-accessoryd uses it") { lab.accessories.device(named: name)?.link == .ready }
            let identifier = lab.accessories.device(named: name)?.identifier ?? ""
            let mark = lab.core.events.count
            try await Machine.root("usb-headset tap play")
            try await lab.began(identifier, after: mark)
            try await application.hearsTone()
            try await Machine.root("usb-headset unplug")
            try await lab.ends(.deviceRemoved, after: mark)
        }
        application.close()
    }
}
