import CoreConfiguration
import EventLoop
import Journal
import Logging
import PTTMessages
import PulseAudio

/// Carries out what ``HeadsetProfiles`` orders, and keeps its changes in a file of the state directory.
@EventLoop
final class BluetoothHeadset {
    /// For the server to change the profiles back on exit.
    private static let stopLimit = Duration.milliseconds(500)

    private let list: DeviceList
    private let file: ChangeFile<HeadsetProfiles.Change>
    private let log: RateLimitedLog
    private var profiles: HeadsetProfiles
    private var inbox: [HeadsetProfiles.Event] = []
    private var isHandling = false
    private var opening: (@EventLoop (String?) -> Void)?
    private let changes: PendingChanges
    private lazy var ending = DeferredSource { [weak self] in self?.handle(.transmissionEnded) }
    private lazy var timer = TimerSource { [weak self] in self?.handle(.timerFired) }

    /// Nil if nothing is to be changed, or changed back.
    ///
    /// - Parameters:
    ///   - mode: The configured mode.
    ///   - server: Its changes of state must be passed on to ``serverIsReady()`` and ``serverIsLost()``.
    ///   - directory: The state directory; nil: a change cannot be written down, and none is made.
    ///   - log: For files and profiles that cannot be changed.
    init?(_ mode: HeadsetMode, server: AudioServer, directory: String?, log: RateLimitedLog) {
        changes = PendingChanges(on: server)
        self.log = log
        let consequence = "the profile of a Bluetooth headset may stay as it is"
        file = ChangeFile("headset.json", in: directory, consequence: consequence, log: log)
        let undone = file.read()
        guard mode != .music || !undone.isEmpty else { return nil }
        profiles = HeadsetProfiles(mode, undone: undone)
        let kinds: Set<DeviceKind> = [.server, .card, .source, .sink]
        list = DeviceList(server, kinds, consequence: consequence, log: log)
        file.saved = { [weak self] in self?.handle(.saved($0)) }
        list.listed = { [weak self] in self?.handle(.listed($0)) }
        list.isWanted = true
    }

    /// Calls `open` once, with the source to record from or nil for the usual microphone, unless ``end()``
    /// comes first.
    func begin(_ open: @escaping @EventLoop (String?) -> Void) {
        opening = open
        ending.cancel()
        handle(.transmissionBegan)
    }

    /// Takes effect in the next turn of the loop: a transmission that takes the place of this one finds the
    /// profile as it is, and a server whose loss has ended this one is known to be lost.
    func end() {
        opening = nil
        ending.trigger()
    }

    /// Keeps the headset's microphone ready while a channel is joined.
    func update(after event: CoreEvent) {
        if case .channelJoined = event { handle(.channelChanged(isJoined: true)) }
        if case .channelLeft = event { handle(.channelChanged(isJoined: false)) }
    }

    func serverIsReady() { list.refresh() }

    func serverIsLost() {
        list.serverIsLost()
        handle(.serverLost)
    }

    /// Changes every profile back, and calls `then` once.
    func stop(then: @escaping @EventLoop () -> Void) {
        handle(.stopping)
        changes.whenDone(within: Self.stopLimit, then)
    }

    private func handle(_ event: HeadsetProfiles.Event) {
        inbox.append(event)
        guard !isHandling else { return }
        isHandling = true
        while !inbox.isEmpty {
            for effect in profiles.handle(inbox.removeFirst(), at: .now) { perform(effect) }
        }
        isHandling = false
        if let end = profiles.timerEnd { timer.arm(at: end) } else { timer.disarm() }
    }

    private func perform(_ effect: HeadsetProfiles.Effect) {
        switch effect {
        case .save(let changes):
            file.write(changes)
        case .setProfile(let card, let profile):
            set(profile, of: card)
        case .openMicrophone(let source):
            let open = opening
            opening = nil
            open?(source)
        }
    }

    private func set(_ profile: String, of card: String) {
        let action = "use \(card) with the profile \(profile)"
        changes.order(action, .setProfile(profile, card: card)) { [weak self] error in
            // A server that is lost may have made the change, and may not.
            guard let self, error.kind != .serverLost else { return }
            log.log(level: .notice, "\(error)")
            handle(.refused(card: card))
        }
    }
}
