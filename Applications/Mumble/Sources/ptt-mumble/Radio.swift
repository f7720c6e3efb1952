import Foundation
import MumbleCore
import NIOPosix
import PushToTalk

/// The application: carries out what the session and the floor decide, and tells them what happens.
@MainActor
final class Radio: NSObject {
    /// One for all destinations: a change of those joins nothing, which needs a program in the foreground.
    let channelUUID = UUID(
        uuid: (
            0x5f, 0x0b, 0x2e, 0x7c, 0x91, 0x4d, 0x4a, 0x36, 0x8e, 0x21, 0xd3, 0x6a, 0x17, 0xc4, 0x50, 0xb9
        )
    )
    var destination: Destination
    var address: ServerAddress { destination.address }
    /// True if the channel was joined or restored since the program started.
    var isJoined = false
    /// True if a button has changed the destination.
    var isTuned = false
    /// True if a person has ended the program.
    private var isLeaving = false
    /// Why the program ends, once the channel is left.
    var failure: String?
    var manager: PTChannelManager?

    private let password: String?
    /// The only one that is told the password.
    private let passwordServer: String
    var session: ServerSession
    var floor = Floor()
    /// The time of the next packet that we send, in units of 10 milliseconds.
    var number: UInt64 = 0
    var isTransmitting = false
    var isAudioActive = false
    /// True if nothing more of our transmission is sent, which is being ended.
    var isSilenced = false
    var status = PTServiceStatus.ready
    /// True if the server passes on our voice.
    var mayTalk = true
    /// How the channel decides who talks, from the next transmission on.
    var rule = FloorRule.first
    let encoder: VoiceEncoder
    /// True if `pttd` has been told who talks, with which it opens the speaker.
    var hasParticipant = false
    lazy var playback = Playback { [weak self] session in
        guard let self else { return }
        perform(floor.played(session: session))
    }
    /// Sends what is said.
    var recording: Task<Void, Never>?

    let identity: Identity
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    var connection: ServerConnection?
    var datagrams: DatagramConnection?
    var network: NetworkMonitor?
    private let running = RunningProgram()
    private var shown: ServerSession.Summary?
    private var lines = LineLimit()
    private let alarm: Alarm
    private let (endings, ending) = AsyncStream.makeStream(of: Int32.self)
    private let origin = ContinuousClock.now

    /// - Parameters:
    ///   - destination: Where to go.
    ///   - password: Of its server, unless the address has one.
    /// - Throws: If our identity can neither be read nor made.
    init(_ destination: Destination, password: String?) throws {
        self.destination = destination
        (passwordServer, self.password) = (destination.address.server, password)
        session = ServerSession(destination.address, password: destination.address.password ?? password)
        identity = try Identity.load()
        alarm = try Alarm()
        guard let encoder = VoiceEncoder() else {
            throw UserFiles.Failure(text: "no memory for Opus")
        }
        self.encoder = encoder
    }

    /// The time for session and floor.
    var now: Duration { origin.duration(to: .now) }

    // MARK: Beginning and end

    /// Creates the channel manager first, because a press or a push may wait for it.
    func start() async {
        watchNetwork()
        do {
            let manager = try await PTChannelManager.channelManager(delegate: self, restorationDelegate: self)
            self.manager = manager
            if manager.activeChannelUUID == nil {
                manager.requestJoinChannel(channelUUID: channelUUID, descriptor: descriptor)
            } else {
                show()
            }
            perform(session.start(now))
        } catch {
            end(EXIT_FAILURE, "cannot start: \((error as? PTInstantiationError)?.pttReason ?? "\(error)")")
        }
    }

    var descriptor: PTChannelDescriptor { PTChannelDescriptor(name: address.name, image: nil) }

    /// For a person who ends the program: the channel is left, which ends it. The second time it ends at
    /// once.
    func leave() {
        guard isJoined, !isLeaving, let manager else { return end(EXIT_SUCCESS, "left") }
        isLeaving = true
        manager.leaveChannel(channelUUID: channelUUID)
    }

    /// - Returns: When the program is to end, its exit status.
    func end() async -> Int32 {
        var status = EXIT_SUCCESS
        for await ended in endings {
            status = ended
            break
        }
        connection?.close()
        datagrams?.close()
        return status
    }

    func end(_ status: Int32, _ reason: String) {
        if status == EXIT_SUCCESS { Output.line(reason) } else { Output.error(reason) }
        ending.yield(status)
    }

    /// Goes on with another destination, in the same channel of this machine.
    func tune(to destination: Destination) {
        self.destination = destination
        isTuned = true
        // The rest of what was said there is not for those who are here.
        isSilenced = true
        remember()
        show()
        let address = destination.address
        let password = address.password ?? (address.server == passwordServer ? password : nil)
        if let effects = session.step(to: address, password: password, now) {
            // Who was heard is not here.
            perform(floor.disconnected())
            return perform([.status(.ready)] + effects)
        }
        session = ServerSession(address, password: password, after: session)
        perform([.disconnect, .status(.ready)] + session.start(now))
    }

    /// Where the next start without an argument goes.
    func remember() {
        do {
            try UserFiles.write(destination.text, to: UserFiles.lastChannel)
        } catch {
            Output.error("the next start does not know this channel: \(error.localizedDescription)")
        }
    }

    func note(_ text: String, about topic: Topic) {
        for line in lines.lines(text, about: topic, now) { Output.line(line) }
    }

    // MARK: What session and floor decide

    func perform(_ effects: [ServerSession.Effect]) {
        for effect in effects { perform(effect) }
        showSummary()
        wake()
    }

    /// For `--check`, if it is another one: most of what happens is a packet.
    private func showSummary() {
        let summary = session.summary
        guard summary != shown else { return }
        shown = summary
        running?.show(session.findings().flatMap(\.lines))
    }

    private func perform(_ effect: ServerSession.Effect) {
        switch effect {
        case .connect: connect()
        case .disconnect: disconnect()
        case .send(let bytes): connection?.send(bytes)
        case .sendDatagram(let packet): datagrams?.send(packet)
        case .entered(let channel): entered(channel)
        case .mayTalk(let mayTalk):
            self.mayTalk = mayTalk
            settleMode()
        case .rule(let rule): set(rule)
        case .status(let status): set(status)
        case .heard(let packet): heard(packet)
        case .denied(let session): denied(session)
        case .pictured(let session): showAgain(session)
        case .emergency(let session): emergency(session)
        case .left(let session): perform(floor.left(session: session))
        case .unsent(let reason):
            Output.line("nothing is sent: \(reason)")
            stop()
        case .note(let text, let topic): note(text, about: topic)
        case .ended(let reason): ended(reason)
        }
    }

    func perform(_ effects: [Floor.Effect], _ packet: VoicePacket? = nil) {
        for effect in effects {
            switch effect {
            case .taken(let session): taken(session)
            case .play(let session): if let packet { playback.put(packet, of: session) }
            case .keep(let session): if let packet { playback.put(packet, of: session, isKept: true) }
            case .finish(let session): playback.finish(session)
            case .drop(let session): playback.drop(session)
            case .idle: idle()
            case .giveWay(let session): giveWay(session)
            }
        }
        wake()
    }

    /// The channel is left first, so that no button talks into nothing. Who has come here by a button can go
    /// on by it.
    private func ended(_ reason: String) {
        if isTuned {
            Output.error(reason)
            stop()
            status = .unavailable
            return settle()
        }
        failure = reason
        if isJoined { manager?.leaveChannel(channelUUID: channelUUID) }
    }

    // MARK: Time

    private func wake() {
        let deadline = [session.deadline, floor.deadline].compactMap(\.self).min()
        alarm.set(deadline.map { origin + $0 }) { [weak self] in self?.timer() }
    }

    private func timer() {
        perform(floor.timer(now))
        perform(session.timer(now))
    }
}
