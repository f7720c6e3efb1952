package import EventLoop

/// Tells when streams of other connections have appeared, changed or ended.
///
/// Each press opens and closes streams of our own, of which the server reports more changes than of anything
/// else: what is done after a change, a list of all streams for example, is not to be done after those. What
/// cannot be told apart in time is reported.
@EventLoop
package final class ForeignStreams {
    private let server: AudioServer
    private let changed: @EventLoop () -> Void
    /// The streams of the last list: the server reports the end of our own streams when they are no longer
    /// known here.
    private var listed: Set<ServerObject> = []
    /// Streams that may turn out to be our own, as soon as the one that is being opened is confirmed.
    private var doubtful: Set<ServerObject> = []
    /// The streams that have ended since the list was asked for, which may still have them.
    private var ended: Set<ServerObject>?
    private lazy var decision = TimerSource { [weak self] in self?.decide() }

    /// PipeWire reports a new stream before it confirms it to the client that has requested it: on a machine
    /// that is not busy within this time.
    private static let confirmation = Duration.milliseconds(20)

    /// The streams of `server` are our own. `changed` is called once for each change, or for several.
    package init(_ server: AudioServer, changed: @escaping @EventLoop () -> Void) {
        self.server = server
        self.changed = changed
    }

    /// Takes what the server reports of streams.
    package func handle(_ event: SoundDeviceEvent) {
        let stream = event.object
        if event.type == .remove {
            doubtful.remove(stream)
            ended?.insert(stream)
            if listed.contains(stream) { changed() }
        } else if isOwn(stream) {
            return
        } else if server.connections.contains(where: \.isOpeningStream) {
            if doubtful.isEmpty { decision.arm(after: Self.confirmation) }
            doubtful.insert(stream)
        } else {
            changed()
        }
    }

    /// The server is asked for a list now.
    package func listBegins() { ended = [] }

    /// Takes what the server has listed.
    package func update(_ devices: AudioDevices) {
        let inputs = devices.sinkInputs.filter { !$0.isOwn }
        let outputs = devices.sourceOutputs.filter { !$0.isOwn }
        listed = Set(
            inputs.map { ServerObject(kind: .sinkInput, index: $0.index) }
                + outputs.map { ServerObject(kind: .sourceOutput, index: $0.index) }
        )
        let isOutdated = ended.map { !$0.isDisjoint(with: listed) } ?? false
        ended = nil
        if isOutdated { changed() }
    }

    /// The connection has ended: its indexes mean nothing any more.
    package func reset() {
        decision.disarm()
        (listed, doubtful, ended) = ([], [], nil)
    }

    private func isOwn(_ stream: ServerObject) -> Bool { server.connections.contains { $0.owns(stream) } }

    private func decide() {
        let others = doubtful.contains { !isOwn($0) }
        doubtful = []
        if others { changed() }
    }
}
