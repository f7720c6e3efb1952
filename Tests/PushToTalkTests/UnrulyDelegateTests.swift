import EventLoop
import Foundation
import PTTMessages
import PushToTalk
import ServiceClient
import Synchronization
import TestSupport
import Testing

/// Delegates that call the manager from many queues at the same time, and cores that restart meanwhile.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct UnrulyDelegateTests {
    init() { withRunningLoop() }

    /// Each run of the core numbers its pushes from 1.
    @EventLoop
    @Test func `the answer to a push of an earlier core answers no push of the next`() async throws {
        let fixture = try await LibraryFixture.start()
        let gate = DispatchSemaphore(value: 0)
        let count = Mutex(0)
        let delegate = RecordingDelegate { manager, channel in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            guard isFirst else { return .activeRemoteParticipant(PTParticipant(name: "Bob", image: nil)) }
            manager.stopTransmitting(channelUUID: channel)
            gate.wait()
            return .leaveChannel
        }
        let joined = try await Joined.make(fixture, delegate)
        try await fixture.push(joined.token, #"{"first":1}"#)
        #expect(try await delegate.lines.next() == "incomingPush first")
        try await fixture.restartAfterCrash()
        try await fixture.until { $0.channel?.application != nil && $0.isAudioServerReady }
        try await fixture.push(joined.token, #"{"second":1}"#)
        gate.signal()
        var lines = try await delegate.lines.next(5)
        #expect(lines.contains("failedToLeave unknown"))
        lines.removeAll { $0.hasPrefix("failed") }
        #expect(lines.contains("incomingPush second") && lines.contains("didJoin 1 true"))
        #expect(try await fixture.status().channel?.participant?.name == "Bob")
        try await joined.manager.setActiveRemoteParticipant(nil, channelUUID: fixture.channel)
        #expect(!delegate.all.contains { $0.hasPrefix("didLeave") })
    }

    /// Each callback makes it request more, on its own queues, until it leaves, twice.
    @EventLoop
    @Test
    func
        `a delegate that calls from each callback on other queues receives pairs, and nothing after the end`()
        async throws
    {
        let fixture = try await LibraryFixture.start()
        let delegate = BusyDelegate()
        let manager = try await PTChannelManager.channelManager(
            delegate: delegate,
            restorationDelegate: delegate
        )
        let descriptor = PTChannelDescriptor(name: "Ops", image: nil)
        manager.requestJoinChannel(channelUUID: fixture.channel, descriptor: descriptor)
        #expect(try await delegate.reports.next() == "joined")
        for _ in 0..<20 {
            // A refusal during a transmission is as good.
            if let button = try? await fixture.press() { try? await fixture.release(button) }
        }
        delegate.isQuiet.store(true, ordering: .relaxed)
        for _ in 0..<2 {
            DispatchQueue.global().async { manager.leaveChannel(channelUUID: fixture.channel) }
        }
        _ = try await delegate.reports.first { $0 == "left" }
        #expect(try await fixture.sound.sourceOutputs() == [])
        #expect(try await fixture.status().channel == nil)
        #expect(delegate.isBalanced)
    }

    /// The library limits the pending requests, so that the core does not close the connection.
    @EventLoop
    @Test
    func `an application that sends requests faster than the core answers is refused, and keeps its channel`()
        async throws
    {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        fixture.core.process.signal(SIGSTOP)
        for _ in 0..<1000 { manager.requestBeginTransmitting(channelUUID: fixture.channel) }
        manager.stopTransmitting(channelUUID: fixture.channel)
        _ = try await delegate.lines.first { $0.hasPrefix("failedToBegin") }
        fixture.core.process.signal(SIGCONT)
        manager.leaveChannel(channelUUID: fixture.channel)
        _ = try await delegate.lines.first { $0.hasPrefix("didLeave") }
        #expect(delegate.all.count { $0.hasPrefix("didJoin") } == 1)
        #expect(try await fixture.status().channel == nil)
    }

    /// Nothing would report that it was refused, and the application would stay in the background.
    @EventLoop
    @Test func `the core learns that the application is in front however many requests are pending`()
        async throws
    {
        let fixture = try await LibraryFixture.start()
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        manager.pttSetForeground(false)
        fixture.core.process.signal(SIGSTOP)
        for _ in 0..<1000 { manager.requestBeginTransmitting(channelUUID: fixture.channel) }
        manager.pttSetForeground(true)
        var answers = [try await delegate.lines.next()]
        fixture.core.process.signal(SIGCONT)
        answers += try await delegate.lines.next(999)
        #expect(Set(answers) == ["failedToBegin unknown", "failedToBegin appNotForeground"])
        manager.requestBeginTransmitting(channelUUID: fixture.channel)
        #expect(try await delegate.lines.next() == "didBegin 2")
    }

    /// The library has a serial queue of its own in any case.
    @EventLoop
    @Test func `callbacks come one at a time on a concurrent queue`() async throws {
        let fixture = try await LibraryFixture.start()
        PTChannelManager.pttCallbackQueue = DispatchQueue(label: "wide", attributes: .concurrent)
        defer { PTChannelManager.pttCallbackQueue = nil }
        let delegate = RecordingDelegate()
        let manager = try await Joined.make(fixture, delegate).manager
        for _ in 0..<20 {
            manager.requestBeginTransmitting(channelUUID: fixture.channel)
            manager.stopTransmitting(channelUUID: fixture.channel)
        }
        manager.leaveChannel(channelUUID: fixture.channel)
        _ = try await delegate.lines.first { $0.hasPrefix("didLeave") }
        let lines = delegate.all.filter { $0.hasPrefix("didBegin") || $0.hasPrefix("didEnd") }
        #expect(lines == Array(repeating: ["didBegin 2", "didEnd 2"], count: 20).flatMap { $0 })
    }
}

/// Sends another request, on another queue, for each callback.
private final class BusyDelegate: NSObject, PTChannelManagerDelegate, PTChannelRestorationDelegate, Sendable {
    private struct State {
        var transmits = false
        var isActive = false
        var isBalanced = true
    }

    let reports = AsyncQueue(of: String.self)
    let isQuiet = Atomic(false)
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "requests", attributes: .concurrent)

    /// True if each beginning has its end.
    var isBalanced: Bool { state.withLock { $0.isBalanced && !$0.transmits && !$0.isActive } }

    private func sendRequests(_ manager: PTChannelManager, _ channel: UUID) {
        guard !isQuiet.load(ordering: .relaxed) else { return }
        queue.async { manager.stopTransmitting(channelUUID: channel) }
        queue.async { manager.requestBeginTransmitting(channelUUID: channel) }
        queue.async { manager.setActiveRemoteParticipant(nil, channelUUID: channel) }
        queue.async { manager.stopTransmitting(channelUUID: channel) }
    }

    func channelManager(_ manager: PTChannelManager, didJoinChannel uuid: UUID, reason: PTChannelJoinReason) {
        reports.add("joined")
    }

    func channelManager(_ manager: PTChannelManager, didLeaveChannel uuid: UUID, reason: PTChannelLeaveReason)
    {
        reports.add("left")
    }

    func channelManager(
        _ manager: PTChannelManager,
        channelUUID: UUID,
        didBeginTransmittingFrom source: PTChannelTransmitRequestSource
    ) {
        state.withLock {
            $0.isBalanced = $0.isBalanced && !$0.transmits
            $0.transmits = true
        }
        sendRequests(manager, channelUUID)
    }

    func channelManager(
        _ manager: PTChannelManager,
        channelUUID: UUID,
        didEndTransmittingFrom source: PTChannelTransmitRequestSource
    ) {
        state.withLock {
            $0.isBalanced = $0.isBalanced && $0.transmits
            $0.transmits = false
        }
        sendRequests(manager, channelUUID)
    }

    func channelManager(_ manager: PTChannelManager, receivedEphemeralPushToken token: Data) {}

    func channelManager(_ manager: PTChannelManager, didActivate session: AVAudioSession) {
        state.withLock {
            $0.isBalanced = $0.isBalanced && !$0.isActive
            $0.isActive = true
        }
        if let channel = manager.activeChannelUUID { sendRequests(manager, channel) }
    }

    func channelManager(_ manager: PTChannelManager, didDeactivate session: AVAudioSession) {
        state.withLock {
            $0.isBalanced = $0.isBalanced && $0.isActive
            $0.isActive = false
        }
    }

    func incomingPushResult(
        channelManager: PTChannelManager,
        channelUUID: UUID,
        pushPayload: [String: Any]
    ) -> PTPushResult { .leaveChannel }

    func channelDescriptor(restoredChannelUUID uuid: UUID) -> PTChannelDescriptor {
        PTChannelDescriptor(name: "Ops", image: nil)
    }
}
