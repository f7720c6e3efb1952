import DBus
import EventLoop
import PTTMessages
import TestSupport
import Testing

/// A panel, or any program of the session, that calls what does not exist.
@Suite(.timeLimit(.minutes(2)))
struct HostilePanelTests {
    init() { withRunningLoop() }

    private static let invalid = "org.freedesktop.DBus.Error.InvalidArgs"

    @Test @EventLoop func `items that do not exist are errors, and nothing is lost`() async throws {
        let fixture = try await IndicatorFixture.start(hasSound: false)
        let panel = fixture.panel
        let calls: [(String, [BusValue])] = [
            ("GetLayout", [.int32(77), .int32(-1), .strings([])]),
            ("GetLayout", [.int32(.min), .int32(.min), .strings([])]),
            ("GetProperty", [.int32(77), .string("label")]),
            ("GetProperty", [.int32(4), .string("no-such-property")]),
            ("Event", [.int32(-1), .string("clicked"), .variant(.int32(0)), .uint32(0)]),
            ("EventGroup", [ScriptedPanel.clicks([77, 78])]),
            ("AboutToShow", [.int32(77)]),
            ("AboutToShowGroup", [.array(of: "i", [.int32(77)])]),
            ("Event", [.string("4"), .string("clicked"), .variant(.int32(0)), .uint32(0)]),
            ("GetLayout", []),
            ("EventGroup", [.array(of: "i", [.int32(4)])]),
        ]
        for (member, arguments) in calls {
            do {
                let reply = try await panel.call(member, arguments: arguments)
                Issue.record("\(member) \(arguments): \(reply)")
            } catch let error as BusError {
                #expect(error.name == Self.invalid, "\(member) \(arguments)")
            }
        }
        #expect(try await panel.layout().keys.sorted() == [1, 2, 3, 4, 5, 6, 7, 8])
    }

    @Test @EventLoop func `of a group with unknown items the known ones count`() async throws {
        let fixture = try await IndicatorFixture.start()
        #expect(
            try await fixture.panel.call("EventGroup", ScriptedPanel.clicks([77, 4]))
                == [.array(of: "i", [.int32(77)])]
        )
        _ = try await fixture.nextBegin()
        let properties = try await fixture.panel.call(
            "GetGroupProperties",
            .array(of: "i", [.int32(4), .int32(77), .int32(4)]),
            .strings(["label"])
        )
        #expect(try fixture.panel.entries(properties[0].asArray).keys.sorted() == [4])
    }

    @Test @EventLoop func `a thousand clicks in one message are one`() async throws {
        let fixture = try await IndicatorFixture.start()
        try await fixture.panel.call(
            "EventGroup",
            arguments: [ScriptedPanel.clicks([Int32](repeating: 4, count: 1000))]
        )
        _ = try await fixture.nextBegin()
        try await fixture.panel.signal("NewStatus")
        try await fixture.panel.click(8)
        #expect(try await fixture.nextEnd() == .stopped)
    }

    @Test @EventLoop func `entries that only inform, and hidden ones, do nothing when clicked`() async throws
    {
        let fixture = try await IndicatorFixture.start(hasSound: false)
        for id: Int32 in [0, 1, 2, 3, 6, 8] { try await fixture.panel.click(id) }
        try await fixture.panel.call(
            "EventGroup",
            arguments: [
                .array(
                    of: "(isvu)",
                    [4, 5].map {
                        .structure([.int32($0), .string("hovered"), .variant(.string("x")), .uint32(0)])
                    }
                )
            ]
        )
        try await fixture.rename("Still joined")
        try await fixture.panel.signal("NewTitle")
    }

    @Test @EventLoop func `a request for very many items is answered or refused, and the next is answered`()
        async throws
    {
        let fixture = try await IndicatorFixture.start(hasSound: false)
        let panel = fixture.panel
        let many = BusValue.array(of: "i", (0..<90_000).map { .int32($0) })
        let answer = try await panel.call("GetGroupProperties", many, .strings([]))
        #expect(try panel.entries(answer[0].asArray).keys.sorted() == [0, 1, 2, 3, 4, 5, 6, 7, 8])
        await #expect(throws: BusError.self) {
            let more = BusValue.array(of: "i", (0..<200_000).map { .int32($0) })
            _ = try await panel.call("AboutToShowGroup", more)
        }
        let long = String(repeating: "x", count: 3 << 20)
        await #expect(throws: BusError.self) {
            _ = try await panel.call("GetProperty", .int32(4), .string(long))
        }
        #expect(try await panel.layout().keys.sorted() == [1, 2, 3, 4, 5, 6, 7, 8])
    }
}
