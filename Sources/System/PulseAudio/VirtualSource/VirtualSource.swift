package import EventLoop

/// A source that applications record from, and that delivers silence except what is written to it.
///
/// It is made with modules of the server, adopted if an earlier process has left them, repaired when a person
/// or a program changes them, and made again when the server is back. They stay loaded when this process
/// ends: the source is silent then. ``VirtualSourcePlan`` decides; this carries out its orders.
@EventLoop
package final class VirtualSource {
    package enum State: Equatable, Sendable {
        /// - Parameter reason: For people.
        case unavailable(reason: String)
        /// No application records from it.
        case idle
        /// - Parameter by: The names of the applications, each once.
        case recorded(by: [String])
    }

    /// Before it is made for the first time.
    private static let unmade = State.unavailable(reason: "it is being made")

    package private(set) var state = unmade
    /// Called after each change of ``state``.
    package var changed: @EventLoop (State) -> Void = { _ in }
    /// Receives a sentence about what others have changed of it, or what was repaired, for a log.
    package var remarked: @EventLoop (String) -> Void = { _ in }

    /// As they were listed last, after the last change of a device with the mark.
    package private(set) var devices = AudioDevices()
    static let kinds: Set<DeviceKind> = [.server, .module, .sink, .source, .sinkInput, .sourceOutput]
    /// The number of listings in a row that may each give orders: a program that undoes them must not keep
    /// the server busy.
    private static let roundLimit = 20
    private static let restTime = Duration.seconds(5)
    /// The time until orders that have had no effect yet are given again; doubled each time. Session managers
    /// carry out a move later than the server confirms it.
    private static let firstRepetition = Duration.milliseconds(20)

    let server: AudioServer
    let definition: VirtualSourceDefinition
    var plan: VirtualSourcePlan
    var observation: Subscription?
    private lazy var streams = ForeignStreams(server) { [weak self] in self?.refresh() }
    private var instance: VirtualSourcePlan.Instance?
    private var feed: FeedStream?
    /// When the feed may be opened again after it has failed.
    private var feedRetry: MonotonicInstant?
    var isPipeWire = false
    private var isListing = false
    /// Something has changed since the last listing was asked for.
    private var isStale = false
    private var pendingOrders = 0
    private var rounds = 0
    /// The last that were given, and how often without an effect.
    private var given: (orders: [VirtualSourcePlan.Order], repetitions: Int) = ([], 0)
    private lazy var rest = TimerSource { [weak self] in
        self?.rounds = 0
        self?.refresh()
    }
    private var remarks: [String] = []
    /// The sink that was unmuted.
    private var feedingSink: UInt32?
    let mutes: PendingChanges
    /// True while what has been written is being delivered.
    private var isEnding = false
    /// An application counts as recording until then, also if it is not listed: ``isBeingMoved(_:)``.
    var moveEnd: MonotonicInstant?
    lazy var moveTimer = TimerSource { [weak self] in self?.refresh() }
    /// Counts the beginnings, for confirmations that come late.
    private var feedings = 0

    package init(on server: AudioServer, _ definition: VirtualSourceDefinition) {
        self.server = server
        self.definition = definition
        plan = VirtualSourcePlan(definition, commandSocket: server.commandSocket)
        mutes = PendingChanges(on: server)
    }

    /// Makes the source, or adopts it, now or when the server is ready. Call ``serverChanged()`` from then
    /// on.
    package func start() {
        guard observation == nil else { return }
        observation = server.observe([.server, .sink, .source, .sinkInput, .sourceOutput]) { [weak self] in
            self?.changed($0)
        }
        serverChanged()
    }

    /// Call it after each change of ``AudioServer/state``.
    package func serverChanged() {
        guard observation != nil else { return }
        guard case .ready = server.state else {
            plan.disconnected(isPipeWire: isPipeWire)
            lose()
            // The first attempt to connect is no loss.
            guard case .lost = server.state else { return }
            return update(.unavailable(reason: "there is no connection to an audio server"))
        }
        rounds = 0
        refresh()
    }

    func lose() {
        instance = nil
        streams.reset()
        closeFeed()
        isStale = false
        rest.disarm()
    }

    // MARK: Feeding

    /// The sink is heard from now on.
    package func begin() {
        guard let instance else { return }
        isEnding = false
        feedings += 1
        let feeding = feedings
        plan.feeding = .starting
        feedingSink = instance.sink
        server.change("unmute the feed", .muteSink(instance.sink, false)) { [weak self] result in
            guard let self, feedings == feeding, plan.feeding == .starting else { return }
            if case .failure(let error) = result { remarked("\(error)") }
            plan.feeding = .on
        }
        feed?.begin()
    }

    /// - Parameter samples: 16 bit, mono, 48 kHz, of about 5 ms.
    package func write(_ samples: UnsafeRawBufferPointer) {
        feed?.write(samples)
    }

    /// The source delivers what has been written, and then silence.
    package func end() {
        guard plan.feeding != .off, !isEnding else { return }
        guard let feed else { return silence() }
        isEnding = true
        feed.finish { [weak self] in
            if let self, isEnding { silence() }
        }
    }

    /// The source delivers silence from now on.
    func silence() {
        isEnding = false
        guard plan.feeding != .off else { return }
        plan.feeding = .off
        feed?.end()
        if let sink = feedingSink { mute(sink) }
        feedingSink = nil
        // An application may have stopped recording meanwhile.
        refresh()
    }

    private func updateFeed() {
        guard let instance, !instance.recorders.isEmpty else {
            if plan.feeding == .off { closeFeed() }
            return
        }
        guard feed == nil else { return }
        if let feedRetry, MonotonicInstant.now < feedRetry { return rest.arm(at: feedRetry) }
        do throws(AudioError) {
            feed = try FeedStream(on: server, of: definition) { [weak self] in self?.feedFailed($0) }
            if plan.feeding != .off, !isEnding { feed?.begin() }
        } catch {
            feedFailed(error)
        }
    }

    private func feedFailed(_ error: AudioError) {
        feed = nil
        guard error.kind != .serverLost else { return }
        remarked("\(error)")
        // Of several failures in a row only the first is followed at once by another attempt: a server that
        // refuses it each time must not be kept busy.
        let now = MonotonicInstant.now
        let isRepeated = feedRetry.map { now < $0 + Self.restTime } ?? false
        feedRetry = isRepeated ? now + Self.restTime : now
        refresh()
    }

    private func closeFeed() {
        feed?.close()
        (feed, feedRetry) = (nil, nil)
    }

    // MARK: Watching and repairing

    /// A press that goes elsewhere is to cost no list: it opens streams of ours, and starts a microphone.
    private func changed(_ event: SoundDeviceEvent) {
        switch event.kind {
        case .sinkInput, .sourceOutput: streams.handle(event)
        case .sink, .source, .server, .module, .card: if plan.concerns(event) { refresh() }
        }
    }

    func refresh() {
        guard observation != nil, case .ready = server.state else { return }
        guard !isListing, pendingOrders == 0, rounds <= Self.roundLimit else {
            isStale = true
            return
        }
        isStale = false
        isListing = true
        streams.listBegins()
        server.list(Self.kinds) { [weak self] result in
            guard let self else { return }
            isListing = false
            switch result {
            case .success(let devices): handle(devices)
            case .failure(let error): failed(error)
            }
        }
    }

    private func failed(_ error: AudioError) {
        guard error.kind != .serverLost, observation != nil else { return }
        instance = nil
        update(.unavailable(reason: "\(error)"))
        rest.arm(after: Self.restTime)
    }

    private func handle(_ devices: AudioDevices) {
        guard observation != nil else { return }
        isPipeWire = devices.isPipeWire
        self.devices = devices
        let step = plan.handle(devices)
        for remark in step.remarks where !remarks.contains(remark) { remarked(remark) }
        remarks = step.remarks
        if step.orders.isEmpty { rounds = 0 }
        let isUndone = rounds >= Self.roundLimit
        apply(isUndone ? .unusable(reason: "something keeps changing it") : step.condition, step.isHolding)
        carryOut(step.orders)
        streams.update(devices)
        // What is safe has been ordered once more; the next attempt is later.
        if isUndone { rest.arm(after: Self.restTime) }
    }

    private func apply(_ condition: VirtualSourcePlan.Condition, _ isHolding: Bool) {
        switch condition {
        case .incomplete:
            instance = nil
            closeFeed()
            // Another reason is more telling.
            if case .unavailable = state { return }
            update(Self.unmade)
        case .unusable(let reason):
            instance = nil
            closeFeed()
            update(.unavailable(reason: reason))
        case .usable(let instance):
            guard !isBeingMoved(instance), !isHolding else { return }
            self.instance = instance
            updateFeed()
            update(instance.recorders.isEmpty ? .idle : .recorded(by: instance.recorders))
        }
    }

    private func carryOut(_ orders: [VirtualSourcePlan.Order]) {
        guard !orders.isEmpty else {
            given = ([], 0)
            if isStale { refresh() }
            return
        }
        rounds += 1
        given = (orders, orders == given.orders ? given.repetitions + 1 : 0)
        // What changes is reported as well.
        if given.repetitions == 0 { isStale = true }
        // Counted first: a failure may be reported during the call.
        pendingOrders += orders.count
        for order in orders {
            server.send(order.request { [weak self] in self?.ended(order, $0) })
        }
    }

    private func ended(_ order: VirtualSourcePlan.Order, _ result: Result<Void, AudioError>) {
        pendingOrders -= 1
        if case .failure(let error) = result {
            plan.refused(order, reason: error.reason)
            if order.isNeeded { remarked("\(error)") }
        }
        guard pendingOrders == 0 else { return }
        if isStale { return refresh() }
        rest.arm(after: min(Self.firstRepetition * (1 << min(given.repetitions, 8)), Self.restTime))
    }

    func update(_ new: State) {
        guard new != state else { return }
        state = new
        changed(new)
    }
}
