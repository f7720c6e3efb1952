import EventLoop
import PTTMessages
import TestSupport
import Testing

@testable import ptt_accessoryd

/// A button in a headset: bluetoothd has one object for its two links.
@Suite(.serialized) struct SharedLinkTests {
    init() { withRunningLoop() }

    @EventLoop private func start() async throws -> AccessoryFixture {
        let fixture = try await AccessoryFixture.start(buttons: ["aina"])
        try await fixture.ready()
        try await fixture.simulate("sound on")
        return fixture
    }

    @Test @EventLoop
    func `the loss of the button's link ends its press, and it is not ready by its sound alone`()
        async throws
    {
        let fixture = try await start()
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        try await fixture.simulate("sleep")
        #expect(try await fixture.asked() == .end(first, .linkLost))
        let event = try await fixture.events.first {
            $0.device?.remark?.contains("only its link for sound") == true
        }
        #expect(event.device?.link == .connecting)
        try await fixture.simulate("wake")
        try await fixture.ready()
        // It is still held, as the read on connecting has shown.
        try await fixture.simulate("release")
        #expect(try await fixture.asked() == .end(first, .released))
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
    }

    @Test @EventLoop func `the end of the music ends a press, and the button works on`() async throws {
        let fixture = try await start()
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        try await fixture.simulate("sound off")
        #expect(try await fixture.asked() == .end(first, .linkLost))
        _ = try await fixture.events.first { $0.device?.link == .connecting }
        try await fixture.ready()
        try await fixture.simulate("release")
        #expect(try await fixture.asked() == .end(first, .released))
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
    }

    @Test @EventLoop
    func `the loss of the button's link ends its press, also after its sound has gone and come back`()
        async throws
    {
        let fixture = try await start()
        try await fixture.simulate("sound off")
        _ = try await fixture.events.first { $0.device?.link == .connecting }
        try await fixture.ready()
        try await fixture.simulate("sound on")
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        // The link is read twice meanwhile, and that ends nothing.
        await pause(.milliseconds(2500))
        try await fixture.simulate("release")
        #expect(try await fixture.asked() == .end(first, .released))
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        try await fixture.simulate("sleep")
        #expect(try await fixture.asked() == .end(first, .linkLost))
    }
}
