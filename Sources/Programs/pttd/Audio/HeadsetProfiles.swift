import CoreConfiguration
import EventLoop
import PulseAudio

/// The profile of a Bluetooth headset, which has a microphone only in a profile in which music sounds bad:
/// when to change it, and to change it back.
///
/// Each change is written down before it is made. So it is undone also by the next run after a crash, and
/// when a headset that went away with our profile returns. A profile that was changed by anybody else
/// meanwhile stays.
struct HeadsetProfiles {
    /// A change as it is written down.
    struct Change: Equatable, Codable {
        /// The server's name of the card, which contains the headset's address.
        let card: String
        /// The profile before, and that of the change.
        let original: String
        let changed: String
    }

    enum Event {
        /// The server has these now, after a connection or a change of its cards or sources.
        case listed(AudioDevices)
        case serverLost
        /// The changes are on disk or, with false, cannot be written.
        case saved(Bool)
        /// The server has refused a profile.
        case refused(card: String)
        case transmissionBegan
        case transmissionEnded
        case channelChanged(isJoined: Bool)
        case timerFired
        case stopping
    }

    enum Effect: Equatable {
        /// Answered with ``Event/saved(_:)``.
        case save([Change])
        case setProfile(card: String, profile: String)
        /// Opens the microphone of the transmission that has begun: that of the headset, or the usual one.
        case openMicrophone(source: String?)
    }

    /// The progress of a change.
    private enum Phase: Equatable {
        case writing
        /// The server has been asked for the profile.
        case ordered
        case made
        /// The server has been asked for the profile of before.
        case undoing
        /// Made, or not: by an earlier run, before the server was lost, or by a server that has refused or
        /// not answered in time.
        case unknown
    }

    private struct Entry: Equatable {
        let change: Change
        var phase: Phase
    }

    private let mode: HeadsetMode
    private var devices = AudioDevices()
    private var entries: [Entry]
    /// Cards that are left as they are until the microphone is not wanted any more: the server has refused,
    /// the change could not be written down, or somebody else has chosen a profile meanwhile.
    private var declined: Set<String> = []
    /// The cards whose profile WirePlumber 0.5 changes itself while anything records from the headset, and
    /// takes back two seconds later, also where it was changed here. So it is changed here for a transmission
    /// only, and always changed back: what is set here, WirePlumber stores as a person's choice for the next
    /// time that the headset connects, and what it takes back itself it does not store.
    /// The source by which these cards are recognised may be missing for a moment.
    private var changedByManager: Set<String> = []
    private var isTransmitting = false
    private var isJoined = false
    /// While a channel is joined, and until the end of a recording that outlives it.
    private var isForChannel = false
    private var isStopping = false
    /// Until when the transmission waits for a headset's microphone; nil if it does not.
    private var waitingEnd: MonotonicInstant?
    /// The headset whose profile is being changed, here or by the session manager, and until when another
    /// default sink means nothing: its sink goes with the profile, and that of the next one is the default
    /// one only after a while.
    private var changing: (card: String, end: MonotonicInstant)?
    private var conversationEnd: MonotonicInstant?

    /// After the last transmission.
    static let conversationLength = Duration.seconds(30)
    /// For the change of the profile and the new source. A headset takes 0.3 to 1 second.
    static let waitLimit = Duration.seconds(3)
    /// Headsets that are away with a change; the oldest are forgotten.
    static let changeLimit = 16

    /// `undone` are the changes that an earlier run wrote down and may not have undone.
    init(_ mode: HeadsetMode, undone: [Change] = []) {
        self.mode = mode
        entries = undone.suffix(Self.changeLimit).map { Entry(change: $0, phase: .unknown) }
    }

    /// When ``Event/timerFired`` is due; nil: never.
    var timerEnd: MonotonicInstant? { waitingEnd ?? conversationEnd }

    mutating func handle(_ event: Event, at now: MonotonicInstant) -> [Effect] {
        var effects: [Effect] = []
        switch event {
        case .listed(let new):
            let before = devices.headset
            devices = new
            let changed = new.cards.filter { new.hasLoopback($0) || changedByManager.contains($0.name) }
            changedByManager = Set(changed.map(\.name))
            if let before, devices.isBeingChanged(before) {
                changing = (before.name, now + Self.waitLimit)
            }
            settle(&effects)
        case .serverLost:
            devices = AudioDevices()
            changedByManager = []
            entries.removeAll { $0.phase == .writing }
            for index in entries.indices { entries[index].phase = .unknown }
        case .saved(let isWritten):
            saved(isWritten, &effects)
        case .refused(let card):
            for index in entries.indices where entries[index].change.card == card {
                entries[index].phase = .unknown
            }
            declined.insert(card)
            stopWaiting(&effects)
        case .transmissionBegan:
            isTransmitting = true
            conversationEnd = nil
            waitingEnd = now + Self.waitLimit
        case .transmissionEnded:
            isTransmitting = false
            isForChannel = isJoined
            waitingEnd = nil
            if mode == .conversation { conversationEnd = now + Self.conversationLength }
        case .channelChanged(let isJoined):
            self.isJoined = isJoined
            if isJoined || !isTransmitting { isForChannel = isJoined }
        case .timerFired:
            if let end = conversationEnd, now >= end { conversationEnd = nil }
            if let end = waitingEnd, now >= end { stopWaiting(&effects) }
        case .stopping:
            isStopping = true
            isTransmitting = false
            waitingEnd = nil
        }
        if let end = changing?.end, now >= end { changing = nil }
        updateProfiles(&effects)
        for case .setProfile(let card, profile: _) in effects { changing = (card, now + Self.waitLimit) }
        updateWaiting(&effects)
        return effects
    }

    // MARK: The profiles

    private func isWanted(on card: String) -> Bool {
        guard !isStopping else { return false }
        let isKept = !changedByManager.contains(card)
        return switch mode {
        case .music: false
        case .transmission: isTransmitting
        case .conversation: isTransmitting || isKept && conversationEnd != nil
        case .channel: isForChannel && (isTransmitting || isKept)
        }
    }

    /// The one that plays by default.
    private var headset: AudioCard? {
        devices.headset ?? changing.flatMap { changing in devices.cards.first { $0.name == changing.card } }
    }

    private mutating func updateProfiles(_ effects: inout [Effect]) {
        declined = declined.filter { isWanted(on: $0) }
        if let card = headset, isWanted(on: card.name), !declined.contains(card.name) {
            begin(card, &effects)
        }
        undo(&effects)
    }

    private mutating func begin(_ card: AudioCard, _ effects: inout [Effect]) {
        if let index = entries.firstIndex(where: { $0.change.card == card.name }) {
            // WirePlumber's source stays through the change. Any other one goes, and is awaited.
            guard entries[index].phase == .undoing, changedByManager.contains(card.name) else { return }
            entries[index].phase = .ordered
            effects.append(.setProfile(card: card.name, profile: entries[index].change.changed))
        } else if card.active?.hasMicrophone == false, let profile = card.headsetProfile {
            let change = Change(card: card.name, original: card.activeProfile, changed: profile.name)
            entries.append(Entry(change: change, phase: .writing))
            entries = entries.suffix(Self.changeLimit)
            save(&effects)
        }
    }

    private mutating func undo(_ effects: inout [Effect]) {
        for index in entries.indices where [.ordered, .made].contains(entries[index].phase) {
            let change = entries[index].change
            // The change of a headset that is away is undone when it returns.
            guard !isWanted(on: change.card), devices.cards.contains(where: { $0.name == change.card }) else {
                continue
            }
            entries[index].phase = .undoing
            effects.append(.setProfile(card: change.card, profile: change.original))
        }
        // Not made yet: the order is not given.
        let count = entries.count
        entries = entries.filter { $0.phase != .writing || isWanted(on: $0.change.card) }
        if entries.count != count { save(&effects) }
    }

    /// Forgets the changes that are undone, and those that were changed again by somebody else.
    private mutating func settle(_ effects: inout [Effect]) {
        let count = entries.count
        for index in entries.indices.reversed() {
            let (change, phase) = (entries[index].change, entries[index].phase)
            // A session manager makes a card without a profile, and then chooses the one that it had.
            let card = devices.cards.first { $0.name == change.card && $0.activeProfile != AudioCard.off }
            guard let card else {
                // It may return with our profile, which both servers remember for each card.
                if phase != .writing { entries[index].phase = .unknown }
                continue
            }
            let isOurs = card.activeProfile == change.changed
            let isOriginal = card.activeProfile == change.original
            switch phase {
            // What was ordered may not have been made yet.
            case .writing where isOriginal, .ordered where isOriginal, .undoing where isOurs: break
            // Nobody's choice, and WirePlumber changes it again.
            case .made where isOriginal && changedByManager.contains(card.name): break
            case .ordered where isOurs, .made where isOurs, .unknown where isOurs:
                entries[index].phase = .made
            case .writing, .ordered, .made:
                declined.insert(change.card)
                entries.remove(at: index)
            case .undoing, .unknown: entries.remove(at: index)
            }
        }
        if entries.count != count { save(&effects) }
    }

    private mutating func saved(_ isWritten: Bool, _ effects: inout [Effect]) {
        guard isWritten else {
            for entry in entries where entry.phase == .writing { declined.insert(entry.change.card) }
            entries.removeAll { $0.phase == .writing }
            return
        }
        for index in entries.indices where entries[index].phase == .writing {
            entries[index].phase = .ordered
            let change = entries[index].change
            effects.append(.setProfile(card: change.card, profile: change.changed))
        }
    }

    private func save(_ effects: inout [Effect]) {
        effects.append(.save(entries.map(\.change)))
    }

    // MARK: The transmission

    private mutating func updateWaiting(_ effects: inout [Effect]) {
        guard waitingEnd != nil else { return }
        guard mode != .music, let card = headset else { return stopWaiting(&effects) }
        let entry = entries.first { $0.change.card == card.name }
        // A microphone that is about to go with its profile would be lost in mid-sentence.
        let isLasting = entry?.phase != .undoing && card.active?.hasMicrophone == true
        if isLasting, let source = devices.source(of: card) {
            stopWaiting(&effects, source: source)
        } else if entry == nil || declined.contains(card.name) {
            stopWaiting(&effects)
        }
    }

    private mutating func stopWaiting(_ effects: inout [Effect], source: String? = nil) {
        guard waitingEnd != nil else { return }
        waitingEnd = nil
        effects.append(.openMicrophone(source: source))
    }
}
