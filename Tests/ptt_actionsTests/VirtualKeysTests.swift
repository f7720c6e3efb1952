import AccessoryCore
import EventLoop
import Glibc
import JSON
import Logging
import PTTMessages
import TestSupport
import Testing
import Varlink

@testable import ptt_actions

/// The keys that presses hold, with a ptt-keys that grants or refuses them.
@Suite struct VirtualKeysTests {
    init() { withRunningLoop() }

    private static let button: UInt16 = 183  // KEY_F13
    private static let other: UInt16 = 30  // KEY_A

    private func press(_ number: Int) -> PressID { PressID(rawValue: number) }

    @Test @EventLoop func `the keys are offered before a press, and a press and its release set one of them`()
        async throws
    {
        let fixture = try KeysFixture()
        fixture.keys.offer([Self.button, Self.other])
        #expect(try await fixture.calls.next() == "Offer KEY_A KEY_F13")
        fixture.keys.press(press(1), Self.button)
        #expect(try await fixture.calls.next() == "Press KEY_F13")
        #expect(try await fixture.events.next() == .unitStarted(press(1)))
        #expect(fixture.keys.release(press(1)))
        #expect(try await fixture.calls.next() == "Release KEY_F13")
        #expect(try await fixture.events.next() == .unitStopped(press(1), failure: nil))
        #expect(!fixture.keys.release(press(1)))
        // A device that no action names is removed.
        fixture.keys.offer([])
        #expect(try await fixture.calls.next() == "end")
    }

    @Test @EventLoop func `a key that two buttons hold is released with the last of them`() async throws {
        let fixture = try KeysFixture()
        fixture.keys.offer([Self.button])
        for number in 1...2 {
            fixture.keys.press(press(number), Self.button)
            #expect(try await fixture.events.next() == .unitStarted(press(number)))
        }
        for number in 1...2 {
            _ = fixture.keys.release(press(number))
            #expect(try await fixture.events.next() == .unitStopped(press(number), failure: nil))
        }
        let calls = try await fixture.calls.next(4)
        #expect(calls == ["Offer KEY_F13", "Press KEY_F13", "Press KEY_F13", "Release KEY_F13"])
    }

    @Test @EventLoop func `a press ends with ptt-keys, and the next one has a new device`() async throws {
        let fixture = try KeysFixture()
        fixture.keys.offer([Self.button])
        fixture.keys.press(press(1), Self.button)
        #expect(try await fixture.events.next() == .unitStarted(press(1)))
        fixture.server.stop()
        #expect(try await fixture.events.next().isEnd(of: press(1)))
        fixture.keys.press(press(2), Self.button)
        let failure = try await fixture.events.next()
        guard case .unitStopped(press(2), _?) = failure else {
            Issue.record("\(failure)")
            return
        }
        try fixture.restart()
        fixture.keys.press(press(3), Self.button)
        #expect(try await fixture.events.next() == .unitStarted(press(3)))
    }

    @Test @EventLoop func `a press that ptt-keys refuses does not begin, and says why`() async throws {
        let fixture = try KeysFixture()
        fixture.refusal = "only the person in front of the screen may hold keys"
        fixture.keys.offer([Self.button])
        fixture.keys.press(press(1), Self.button)
        let reason = try #require(fixture.refusal)
        #expect(try await fixture.events.next() == .unitStopped(press(1), failure: reason))
        // The person has come.
        fixture.refusal = nil
        fixture.keys.press(press(2), Self.button)
        #expect(try await fixture.events.next() == .unitStarted(press(2)))
    }

    @Test @EventLoop func `a key that is not granted takes no other one away, and works from its grant on`()
        async throws
    {
        let fixture = try KeysFixture(granted: ["KEY_F13"])
        fixture.keys.offer([Self.button, Self.other])
        #expect(try await fixture.calls.next() == "Offer KEY_F13")
        fixture.keys.press(press(1), Self.button)
        #expect(try await fixture.events.next() == .unitStarted(press(1)))
        fixture.keys.press(press(2), Self.other)
        let reason = "KEY_A is not granted: sudo pttctl grant actions KEY_A"
        #expect(try await fixture.events.next() == .unitStopped(press(2), failure: reason))
        #expect(try await fixture.calls.next() == "Press KEY_F13")
        try fixture.grant(["KEY_F13", "KEY_A"])
        // No press is needed, and the key that was held is released with the device that had it.
        #expect(Set(try await fixture.calls.next(2)) == ["end", "Offer KEY_A KEY_F13"])
        #expect(try await fixture.events.next().isEnd(of: press(1)))
        fixture.keys.press(press(3), Self.other)
        #expect(try await fixture.events.next() == .unitStarted(press(3)))
        #expect(try await fixture.calls.next() == "Press KEY_A")
        try fixture.grant(nil)
        #expect(try await fixture.calls.next() == "end")
        #expect(try await fixture.events.next().isEnd(of: press(3)))
    }

    @Test @EventLoop func `a device that has gone with ptt-keys is made again before the next press`()
        async throws
    {
        let fixture = try KeysFixture()
        fixture.keys.offer([Self.button])
        #expect(try await fixture.calls.next() == "Offer KEY_F13")
        try fixture.restart()
        #expect(try await fixture.calls.next(2) == ["end", "Offer KEY_F13"])
    }

    @Test @EventLoop func `a device is tried again until ptt-keys makes it, without a press`() async throws {
        let fixture = try KeysFixture()
        fixture.server.stop()
        fixture.keys.offer([Self.button])
        fixture.crashes = 2
        try fixture.restart()
        #expect(try await fixture.calls.next(3) == ["crash", "crash", "Offer KEY_F13"])
        fixture.keys.press(press(1), Self.button)
        #expect(try await fixture.events.next() == .unitStarted(press(1)))
    }

    @Test @EventLoop func `a device that has gone before it answered a release is made again`() async throws {
        let fixture = try KeysFixture()
        fixture.keys.offer([Self.button])
        fixture.keys.press(press(1), Self.button)
        #expect(try await fixture.events.next() == .unitStarted(press(1)))
        #expect(try await fixture.calls.next(2) == ["Offer KEY_F13", "Press KEY_F13"])
        fixture.crashes = 1
        #expect(fixture.keys.release(press(1)))
        #expect(try await fixture.events.next().isEnd(of: press(1)))
        #expect(try await fixture.calls.next(3) == ["crash", "end", "Offer KEY_F13"])
    }
}

/// A service of `org.pushtotalk.Key` that notes its calls.
@EventLoop
private final class KeysFixture {
    let keys: VirtualKeys
    let calls = AsyncQueue(of: String.self)
    let events = AsyncQueue(of: ActionPresses.Event.self)
    var refusal: String?
    /// How many of the next calls end their connection in place of an answer.
    var crashes = 0
    private var unanswered: [VarlinkCall] = []
    private(set) var server: VarlinkServer
    private let scratch: Scratch

    private var path: String { scratch.directory + "/keys" }

    private var grants: String { scratch.directory + "/grants" }

    init(granted: [String] = ["KEY_A", "KEY_F13"]) throws {
        scratch = try Scratch()
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let (path, grants) = (scratch.directory + "/keys", scratch.directory + "/grants")
        let backOff = BackOff(first: .milliseconds(1), limit: .milliseconds(4))
        keys = VirtualKeys(path, grants: grants, backOff: backOff, log: log)
        server = VarlinkServer(Self.info, []) { _, _ in }
        let events = events
        keys.report = { events.add($0) }
        try grant(granted)
        try restart()
    }

    /// Root grants these keys; nil revokes them all.
    func grant(_ keys: [String]?) throws {
        guard let keys else { return try #require(unlink(grants) == 0 ? () : nil) }
        try TextFile.edit(grants, limit: KeyInterface.grantLimit) { _ in keys.joined(separator: "\n") }
    }

    func restart() throws {
        server.stop()
        server = VarlinkServer(Self.info, [interface]) { line, _ in Issue.record("\(line)") }
        try server.listen(on: try UnixSocket.listen(at: path, .stream))
    }

    private static let info = VarlinkServiceInfo(vendor: "", product: "", version: "", url: "")

    private var interface: VarlinkInterface {
        let methods = [KeyInterface.offer.name, KeyInterface.press.name, KeyInterface.release.name]
        let handlers = methods.map { method -> (String, VarlinkInterface.Handler) in
            (method, { [weak self] call throws(VarlinkError) in try self?.handle(method, call) })
        }
        return VarlinkInterface(KeyInterface.description, methods: Dictionary(uniqueKeysWithValues: handlers))
    }

    private func handle(_ method: String, _ call: VarlinkCall) throws(VarlinkError) {
        guard crashes == 0 else {
            crashes -= 1
            unanswered.append(call)
            calls.add("crash")
            return call.connection.close()
        }
        if let refusal { throw VarlinkError(KeyInterface.notOffered, ["reason": .string(refusal)]) }
        guard method == KeyInterface.offer.name else {
            let request: KeyInterface.KeyRequest = try call.decode()
            calls.add("\(method) \(request.key)")
            return call.reply()
        }
        let request: KeyInterface.OfferRequest = try call.decode()
        calls.add("\(method) \(request.keys.joined(separator: " "))")
        call.connection.onClose { [calls] in calls.add("end") }
        call.reply()
    }
}

extension ActionPresses.Event {
    /// It has begun, and something other than its release has ended it.
    fileprivate func isEnd(of id: PressID) -> Bool {
        if case .unitStopped(id, .some) = self { true } else { false }
    }
}
