import EventLoop
import Input
import PTTMessages

extension Scenario {
    static let inputDevices = [
        Scenario(
            part: 5,
            "pulling the plug of a headset ends the transmission, and its next press begins one",
            plug
        ),
        Scenario(part: 5, "a pedal that root has granted holds to talk with this one key", pedal),
        Scenario(
            part: 5,
            "with ptt-keys the volume keys of a headset reach others and its talk key does not",
            divided
        ),
        Scenario(
            part: 5,
            "another key of a headset that ptt-keys has divided talks from its grant on",
            dividedAgain
        ),
    ]

    private static func plug(_ fixture: GuestFixture) async throws {
        let inserted: Set<JackSwitch> = [.headphone, .microphone]
        let jack = try await Headset.plugIn(
            "System Test Card Headphone",
            keys: [.playPause, .volumeUp],
            jack: inserted,
            id: .init(),
            phys: "ALSA"
        )
        try jack.setJack(inserted)
        let identifier = try await jack.ready(fixture.accessories)
        let application = try await fixture.application()
        // The key of a plug that was just put in does not count.
        try await eventually("the key begins a transmission") {
            try await jack.press(.playPause)
            return await Conditions.wait(.seconds(1)) { fixture.core.status?.transmission != nil }
        }
        try await application.receivesTone()
        let mark = fixture.core.events.count
        try jack.setJack([])
        // What the contacts of a pulled plug do begins nothing.
        try await jack.press(.playPause)
        _ = try await fixture.core.end(after: mark)
        try await until("audio is inactive") { fixture.core.status?.audio == .inactive }
        guard fixture.core.beginnings(after: mark) == 0 else {
            throw Failure("\(identifier) begins without a plug")
        }
        application.close()
        jack.unplug()
    }

    private static func pedal(_ fixture: GuestFixture) async throws {
        let letters = (1...83).map { KeyCode(rawValue: $0) }
        let talk = KeyCode(rawValue: 183)  // KEY_F13
        try await Machine.root("pttctl grant 1a86:e026 KEY_F13")
        let pedal = try await Headset.plugIn(
            "System Test Foot Switch",
            keys: Set(letters + [talk]),
            id: .init(bus: InputNode.ID.usb, vendor: 0x1a86, product: 0xe026)
        )
        let identifier = try await pedal.ready(fixture.accessories)
        let application = try await fixture.application()
        let mark = fixture.core.events.count
        for letter in letters { try pedal.tap(letter) }
        try pedal.hold(talk)
        try await fixture.began(identifier, after: mark)
        try await application.receivesTone()
        let stop = fixture.core.events.count
        try pedal.release(talk)
        try await fixture.ends(.released, after: stop)
        application.close()
        // The grant ends at once, without a replug.
        try await Machine.root("pttctl revoke 1a86:e026")
        try await until("ptt-accessoryd has closed it") { fixture.accessories.device(identifier) == nil }
        pedal.unplug()
    }

    private static func divided(_ fixture: GuestFixture) async throws {
        let headset = try await Headset.plugIn("System Test Headset")
        let identifier = try await headset.ready(fixture.accessories)
        try await Machine.root("systemctl start ptt-keys")
        let (few, rest) = try await headset.halves()
        let player = try OtherReader(few)
        let desktop = try OtherReader(rest)
        try await until("ptt-accessoryd reads the half") {
            fixture.accessories.device(identifier)?.link == .ready
        }
        let application = try await fixture.application()
        let mark = fixture.core.events.count
        // The first press may come before ptt-accessoryd has grabbed the half: then it reaches both.
        try await eventually("only push-to-talk gets the key") {
            let seen = player.pressed.count
            let begun = fixture.core.beginnings(after: mark)
            try await headset.press(.playPause)
            return await !Conditions.wait(.seconds(1)) { player.pressed.count > seen }
                && fixture.core.beginnings(after: mark) > begun
        }
        try await application.receivesTone()
        try await headset.press(.volumeUp)
        try await until("the volume key reaches the desktop") { desktop.pressed == [.volumeUp] }
        let stop = fixture.core.events.count
        try await Machine.root("systemctl kill -s KILL ptt-keys && systemctl stop ptt-keys")
        try await fixture.ends(.deviceRemoved, after: stop)
        // The headset works as before.
        try await until("ptt-accessoryd reads the headset") {
            fixture.accessories.device(identifier)?.link == .ready
        }
        let again = fixture.core.events.count
        try await headset.press(.playPause)
        try await fixture.began(identifier, after: again)
        headset.unplug()
        try await fixture.ends(.deviceRemoved, after: again)
        application.close()
    }

    private static func dividedAgain(_ fixture: GuestFixture) async throws {
        let headset = try await Headset.plugIn(
            "System Test Headset",
            id: .init(bus: InputNode.ID.usb, vendor: 0x1a86, product: 0xe028)
        )
        let identifier = try await headset.ready(fixture.accessories)
        try await Machine.root("systemctl start ptt-keys")
        try await restoring(by: "systemctl stop ptt-keys; pttctl revoke 1a86:e028") {
            _ = try await headset.halves()
            try await Machine.root("pttctl grant 1a86:e028 KEY_VOLUMEUP")
            let application = try await fixture.application()
            let mark = fixture.core.events.count
            try await eventually("the granted key talks") {
                try await headset.press(.volumeUp)
                return await Conditions.wait(.seconds(1)) { fixture.core.beginnings(after: mark) > 0 }
            }
            try await fixture.began(identifier, after: mark)
            application.close()
        }
        headset.unplug()
    }
}
