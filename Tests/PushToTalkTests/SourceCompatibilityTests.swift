import AsyncClient
import BareClient
import Bystander
import CallbackClient
import EventLoop
import MainActorClient
import PlainClient
import PushToTalk
import StrictClient
import TemplateClient
import TestSupport
import Testing

/// Semantics, “Clients in each idiom”: clients in several idioms, whose compilation is the main test.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct SourceCompatibilityTests {
    init() { withRunningLoop() }

    @Test func `delegates of each idiom are delegates`() async {
        let delegates: [any PTChannelManagerDelegate] = [
            Radio(), Walkie(), await Model(), Handset(), await Roster(), Board(),
        ]
        #expect(delegates.count == 6)
        _ = Talker()
    }

    /// Semantics, “Optional delegate methods”: a method that the compiler does not recognise as the witness
    /// of the requirement would never be called. `Radio` and `Handset` are Swift 5, `Board` and `Roster` are
    /// Swift 6; the first of each pair has no `@Sendable`.
    @EventLoop
    @Test func `a completion with and without @Sendable is a witness in both language modes`() async throws {
        let fixture = try await LibraryFixture.start()
        let recording = RecordingDelegate()
        let manager = try await Joined.make(fixture, recording).manager
        let (radio, handset, board, roster) = (Radio(), Handset(), Board(), await Roster())
        let completions = AsyncQueue(of: String.self)
        let delegates: [any PTChannelManagerDelegate] = [radio, handset, board, roster]
        for delegate in delegates {
            let name = "\(type(of: delegate))"
            delegate.incomingServiceUpdatePush(
                channelManager: manager,
                channelUUID: fixture.channel,
                pushPayload: ["roster": "all"],
                isHighPriority: true,
                remainingHighPriorityBudget: 5,
                completion: { completions.add(name) }
            )
            #expect(try await completions.next() == name)
        }
        #expect(
            [radio.updates, handset.updates, board.names, await roster.names] == [
                ["all"], ["all"], ["all"], ["all"],
            ]
        )
    }

    /// All of its types belong to the main actor, where the main queue calls its delegate.
    @EventLoop
    @Test
    func `an application that is isolated to the main actor as a whole receives callbacks on the main queue`()
        async throws
    {
        let fixture = try await LibraryFixture.start()
        PTChannelManager.pttCallbackQueue = .main
        defer { PTChannelManager.pttCallbackQueue = nil }
        let lines = AsyncQueue(of: [String].self)
        let console = await Console { lines.add($0) }
        try await console.start(fixture.channel)
        #expect(try await lines.next(2).last == ["joined", "full duplex"])
        let button = try await fixture.press()
        try await fixture.release(button)
        #expect(try await lines.next(2).last == ["joined", "full duplex", "talking", "listening"])
        await console.stop()
    }

    /// An application that returns early when the session throws reaches its channel.
    @EventLoop
    @Test func `an application that first activates the session can transmit`() async throws {
        let fixture = try await LibraryFixture.start()
        let handset = Handset()
        #expect(handset.prepare())
        let recording = RecordingDelegate()
        let manager = try await Joined.make(fixture, recording).manager
        #expect(handset.prepare(), "\(handset.log)")
        handset.channelManager(
            manager,
            channelUUID: fixture.channel,
            didBeginTransmittingFrom: .handsfreeButton
        )
        #expect(handset.log == ["recording"])
    }

    @Test func `an error has its reason after the conversion to NSError`() {
        let handset = Handset()
        #expect(handset.explain(PTInstantiationError(.missingEntitlement)) == "no entitlement")
        #expect(handset.explain(NSError(domain: PTInstantiationErrorDomain, code: 1)) == "not here")
        #expect(handset.explain(NSError(domain: PTInstantiationErrorDomain, code: 3)) == "no manager: 3")
        #expect(handset.explain(NSError(domain: PTChannelErrorDomain, code: 2)) == "another channel")
        #expect(handset.explain(PTChannelError(.callActive)) == "channel 3")
        #expect(!Board.isWanted(PTChannelLeaveReason(rawValue: 12) ?? .userRequest))
    }

    /// No image is shown, instead of a broken one.
    @Test func `an image without data is none`() {
        #expect(UIImage().size == .zero && UIImage().pngData() == nil)
        #expect(PTChannelDescriptor(name: "Ops", image: UIImage()).image != nil)
    }

    /// Semantics, “Clients in each idiom”.
    @Test func `the conditions for Apple's platforms are false`() {
        #expect(!Platform.isApple)
    }
}
