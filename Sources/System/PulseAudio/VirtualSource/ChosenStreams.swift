/// The streams that have chosen the source: their application asked for it by name, or a person has moved
/// them to it. They hear nothing else until a person moves them away.
///
/// Both servers take a stream that has the default source for one that wants the default source, also if its
/// application has named it, and move it along when another source becomes the default: from silence to the
/// live microphone. They do not if the stream was moved by an explicit order: then it is held, also without
/// this process. Such an order to the default source itself means "follow the default" to both
/// (`pa_source_output_finish_move` of PulseAudio, `do_move_stream` of pipewire-pulse). While the source is
/// the default, a stream is therefore moved to the monitor of the feed, which delivers the same and which no
/// server prefers.
struct ChosenStreams: Sendable {
    /// The devices of the server, as far as they matter to the streams.
    struct Devices: Sendable {
        var source: UInt32
        /// The monitor of the feed.
        var monitor: UInt32?
        /// The default source, if it is known.
        var defaultSource: UInt32?
        /// The other sources. A stream that has none of them is not linked: it is new, or being moved.
        var others: Set<UInt32>
        /// True if any stream is linked, of any program. PipeWire's session manager takes all its links away
        /// with itself.
        var hasLinks: Bool
        /// The name by which streams ask for the source.
        var name: String
        var isPipeWire: Bool

        var isDefault: Bool { source == defaultSource }

        func deliver(to stream: AudioStream) -> Bool {
            stream.device == source || stream.device == monitor
        }
    }

    struct Move: Equatable, Sendable {
        let stream: AudioStream
        /// The sources to which it is moved, one after the other.
        let sources: [UInt32]
        /// It records something else. Otherwise the move only tells the server to hold it.
        let isReturn: Bool

        fileprivate var target: UInt32 { sources.last ?? .max }
    }

    private enum Standing {
        /// Has chosen the source, and was not ordered anywhere yet.
        static let unheld = held(at: .max)

        /// Has chosen the source, and was ordered here with the last step. The server does not hold it if
        /// this had become the default source by then, which the listing before may not have shown.
        case ordered(to: UInt32)
        /// Has chosen the source, and was ordered here, so that the server holds it.
        case held(at: UInt32)
        /// Has chosen the source, does not have it, and was ordered back so often.
        case returning(attempts: Int)
        /// Has the source as the default one, which it follows.
        case following
        /// Records from this other source. It may follow the default source if it had that when ours became
        /// it: a session manager moves it some time later.
        case elsewhere(UInt32, mayFollow: Bool)
    }

    private var known: [UInt32: (stream: AudioStream, standing: Standing)] = [:]
    /// The source was incomplete meanwhile, so that the server may have moved streams away from it.
    private var wasMissing = false
    private var formerDefault: UInt32?
    private var wasDefault = false
    /// Of streams that are elsewhere when the source is adopted, it is not known whether a person has moved
    /// them.
    private var isAdopting = true
    private static let mostAttempts = 12

    /// The source is incomplete: streams that ask for it now get another one.
    mutating func sourceIsMissing() {
        wasMissing = true
        isAdopting = false
    }

    /// The connection has ended. The streams of a server that ends are gone, but only pipewire-pulse may have
    /// ended: then PipeWire's own streams remain, and it may move them to another source.
    mutating func disconnected(isPipeWire: Bool) {
        known = known.filter { _, entry in
            switch entry.standing {
            case .ordered, .held, .returning: isPipeWire
            case .following, .elsewhere: false
            }
        }
        (wasMissing, wasDefault, formerDefault, isAdopting) = (true, false, nil, true)
    }

    /// Returns true if a refused move of a stream is to be ordered again: PipeWire refuses until its session
    /// manager is there.
    func isTriedAgain(_ stream: UInt32) -> Bool {
        guard case .returning(let attempts) = known[stream]?.standing else { return false }
        return attempts < Self.mostAttempts
    }

    /// Returns the moves to order, given the streams of all other applications that record.
    mutating func next(_ streams: [AudioStream], _ devices: Devices) -> [Move] {
        let before = known
        known = [:]
        var moves: [Move] = []
        for stream in streams {
            let earlier = before[stream.index].flatMap { $0.stream.isSame(as: stream) ? $0.standing : nil }
            guard var standing = standing(of: stream, earlier, devices) else { continue }
            if let move = move(stream, standing, devices) {
                moves.append(move)
                if case .held = standing { standing = .ordered(to: move.target) }
            }
            known[stream.index] = (stream, standing)
        }
        (wasMissing, isAdopting) = (false, false)
        (wasDefault, formerDefault) = (devices.isDefault, devices.defaultSource)
        return moves
    }

    /// Nil for a stream that is not linked yet.
    private func standing(of stream: AudioStream, _ earlier: Standing?, _ devices: Devices) -> Standing? {
        if devices.deliver(to: stream) { return standingWithSource(stream, earlier, devices) }
        let hasBecomeDefault = devices.isDefault && !wasDefault
        guard devices.others.contains(stream.device) else {
            switch earlier {
            // A session manager that has come back knows nothing of earlier orders.
            case .ordered where !devices.hasLinks, .held where !devices.hasLinks:
                return .returning(attempts: 0)
            case .elsewhere(let device, let mayFollow):
                return .elsewhere(device, mayFollow: mayFollow || hasBecomeDefault && device == formerDefault)
            case .ordered, .held, .returning, .following, nil: return earlier
            }
        }
        let elsewhere = Standing.elsewhere(
            stream.device,
            mayFollow: hasBecomeDefault && stream.device == formerDefault
        )
        switch earlier {
        case .ordered: return .returning(attempts: 1)  // No person is so fast.
        case .held:
            let isMovedByServer = wasMissing || wasDefault && !devices.isDefault
            return isMovedByServer ? .returning(attempts: 1) : elsewhere
        case .returning(let attempts):
            return attempts < Self.mostAttempts
                ? .returning(attempts: attempts + 1) : elsewhere
        case .elsewhere(stream.device, let mayFollow) where devices.isDefault && wasDefault:
            return .elsewhere(stream.device, mayFollow: mayFollow)
        case .following, .elsewhere:
            return elsewhere
        case nil:
            // PipeWire gives it another one if ours was not there.
            let hasAsked = stream.requestedDevice == devices.name && !isAdopting
            return hasAsked ? .returning(attempts: 1) : elsewhere
        }
    }

    private func standingWithSource(_ stream: AudioStream, _ earlier: Standing?, _ devices: Devices)
        -> Standing
    {
        // PulseAudio does not say what a stream has asked for: then it is held.
        let mayFollow =
            devices.isDefault && devices.isPipeWire && stream.requestedDevice != devices.name
        switch earlier {
        case .ordered(let place): return devices.defaultSource == place ? .unheld : .held(at: place)
        case .held(let place): return .held(at: place)
        case .following: return .following
        case .returning: return .unheld
        case nil: return mayFollow ? .following : .unheld
        case .elsewhere(let device, let wasOnDefault):
            // A stream whose device goes is moved to what is the default source then.
            if !devices.others.contains(device), stream.requestedDevice != devices.name { return .following }
            let isMovedByServer = wasOnDefault || !wasDefault
            return mayFollow || devices.isDefault && isMovedByServer ? .following : .unheld
        }
    }

    private func move(_ stream: AudioStream, _ standing: Standing, _ devices: Devices) -> Move? {
        let isReturn = !devices.deliver(to: stream)
        let target = devices.isDefault ? devices.monitor ?? devices.source : devices.source
        switch standing {
        case .ordered, .following, .elsewhere: return nil
        case .returning:
            guard isReturn, devices.others.contains(stream.device) else { return nil }
        case .held(let place):
            // Who was ordered to the source stays there, also when it becomes the default one.
            if place == target || place == devices.source { return nil }
        }
        var sources = [target]
        // PulseAudio ignores an order to move a stream to the source that it has.
        if !devices.isPipeWire, stream.device == target {
            guard let monitor = devices.monitor, monitor != target else { return nil }
            sources = [monitor, target]
        }
        return Move(stream: stream, sources: sources, isReturn: isReturn)
    }
}

extension AudioStream {
    /// Returns true if it is the stream that was listed earlier with the same index.
    fileprivate func isSame(as other: AudioStream) -> Bool {
        name == other.name && applicationName == other.applicationName && processID == other.processID
    }
}
