import EventLoop
import JSON
import PTTMessages
import TestSupport
import Testing

@Suite(.serialized) struct ExplainTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `the file of a device is named, with the reason why another one does not match`()
        async throws
    {
        let fixture = try await AccessoryFixture.start()
        try await fixture.ready()
        let reply: AccessoryInterface.ExplainReply = try await fixture.call(
            "Explain",
            ["identifier": "F0:F1:F2:F3:F4:01"]
        )
        #expect(reply.accessory == "ffe0")
        #expect(reply.addressType == .randomStatic)
        #expect(reply.files.first?.reasons == ["it has the service ffe0"])
        let itag = reply.files.first { $0.accessory == "itag" }
        #expect(itag?.matches == false)
        #expect(itag?.reasons == ["the name is not iTag*, Tag-it*"])
        #expect(
            try await fixture.failure("Explain", ["identifier": "F0:00"]) == AccessoryInterface.deviceNotFound
        )
    }
}
