package import EventLoop

/// Ends when it is dropped or cancelled: keep it as long as the handler is wanted.
@EventLoop
package final class Subscription {
    private var end: (@EventLoop () -> Void)?

    init(end: @escaping @EventLoop () -> Void) { self.end = end }

    isolated deinit { cancel() }

    /// The handler is not called again. Further calls do nothing.
    package func cancel() {
        end?()
        end = nil
    }
}

/// The handlers of signals, in the order in which they were added.
struct SubscriptionTable {
    struct Entry {
        let rule: MatchRule
        let handler: @EventLoop (BusSignal) -> Void
    }

    private(set) var identifiers: [UInt64] = []
    private var entries: [UInt64: Entry] = [:]
    private var uses: [MatchRule: Int] = [:]
    private var last: UInt64 = 0

    subscript(identifier: UInt64) -> Entry? { entries[identifier] }

    /// - Returns: Whether the bus has to be told the rule.
    mutating func add(_ entry: Entry) -> (identifier: UInt64, isFirst: Bool) {
        last += 1
        identifiers.append(last)
        entries[last] = entry
        uses[entry.rule, default: 0] += 1
        return (last, uses[entry.rule] == 1)
    }

    /// - Returns: What was removed, and whether the bus has to forget the rule. The entry is handed out so
    ///   that what its handler holds is released after this access to the table, which that may use again.
    mutating func remove(_ identifier: UInt64) -> (entry: Entry, isLast: Bool)? {
        guard let entry = entries.removeValue(forKey: identifier) else { return nil }
        identifiers.removeAll { $0 == identifier }
        let count = uses[entry.rule, default: 1] - 1
        uses[entry.rule] = count == 0 ? nil : count
        return (entry, count == 0)
    }
}

/// Who owns a well-known name, kept up to date by `NameOwnerChanged`.
struct NameOwner {
    /// nil while nobody owns the name, and until the first look has been answered.
    var owner: String?
    /// Everybody who needs the owner: subscriptions by sender, and watchers.
    var uses = 0
    var watchers: [UInt64: Watcher] = [:]
    let changes: Subscription

    struct Watcher {
        var isTold = false
        let handler: @EventLoop (String?) -> Void
    }
}

extension BusConnection {
    /// Calls `handler` for every signal that `rule` matches, on the spot, in the order of the bus.
    ///
    /// The bus is told the rule without waiting. If it refuses, a rule that it finds invalid or one too many,
    /// the connection is given up (``onLost``): to go on without the signal would be to miss it silently.
    package func subscribe(_ rule: MatchRule, handler: @escaping @EventLoop (BusSignal) -> Void)
        -> Subscription
    {
        guard isOpen else { return Subscription {} }
        // The look-up of the owner is sent before the rule, so its answer comes before the first signal.
        let name = rule.sender.flatMap { Self.isWellKnown($0) ? $0 : nil }
        if let name { retainOwner(of: name) }
        let (identifier, isFirst) = subscriptions.add(.init(rule: rule, handler: handler))
        if isFirst { tellBus("AddMatch", rule) }
        return Subscription { [weak self] in
            guard let self, isOpen else { return }
            let removed = subscriptions.remove(identifier)
            if let removed, removed.isLast { tellBus("RemoveMatch", removed.entry.rule) }
            if let name { releaseOwner(of: name) }
        }
    }

    /// Tells the present owner of a name, as soon as the bus has answered, and then every change.
    /// The handler gets the unique name of the owner, or nil while there is none.
    package func watchName(_ name: String, handler: @escaping @EventLoop (String?) -> Void) -> Subscription {
        guard isOpen else { return Subscription {} }
        let isKnown = owners[name] != nil
        retainOwner(of: name)
        watchers += 1
        let identifier = watchers
        owners[name]?.watchers[identifier] = .init(handler: handler)
        // The first user of a name looks anyway.
        if isKnown { lookUpOwner(of: name) }
        return Subscription { [weak self] in
            guard let self, isOpen else { return }
            // The handler is released after this access to the table, which that may use again.
            _ = owners[name]?.watchers.removeValue(forKey: identifier)
            releaseOwner(of: name)
        }
    }

    /// Anybody on the bus may send a signal straight to this connection, whatever was asked for. So the header is looked
    /// at first, and in it the sender; a body is read only for who is waiting for it.
    func received(signal message: borrowing BusMessage) {
        let sender = message.sender
        // Loops in place of closures, each call of which would look up on which actor it runs.
        var candidates: [UInt64] = []
        for identifier in subscriptions.identifiers where isSender(sender, meantBy: identifier) {
            candidates.append(identifier)
        }
        guard !candidates.isEmpty, let header = SignalHeader(of: message) else { return }
        var matching: [UInt64] = []
        for identifier in candidates where subscriptions[identifier]?.rule.matches(header) == true {
            matching.append(identifier)
        }
        guard !matching.isEmpty else { return }
        do throws(BusError) {
            let arguments = try message.arguments()
            let signal = BusSignal(
                sender: sender,
                path: header.path,
                interface: header.interface,
                member: header.member,
                arguments: arguments
            )
            for identifier in matching {
                // A handler before this one may have ended it.
                subscriptions[identifier]?.handler(signal)
            }
        } catch {
            // To go on without it would be to miss it silently.
            fail(with: error)
        }
    }

    private func isSender(_ sender: String?, meantBy identifier: UInt64) -> Bool {
        guard let rule = subscriptions[identifier]?.rule else { return false }
        guard let meant = rule.sender else { return true }
        guard Self.isWellKnown(meant) else { return sender == meant }
        guard let owner = owners[meant]?.owner else { return false }
        return sender == owner
    }

    /// The bus itself signs with its well-known name; unique names begin with a colon.
    private static func isWellKnown(_ name: String) -> Bool {
        name.utf8.first != UInt8(ascii: ":") && name != StandardInterface.bus
    }

    private func tellBus(_ member: String, _ rule: MatchRule) {
        call(.bus(member, .string(rule.text))) { [weak self] result in
            guard member == "AddMatch", case .failure(let error) = result else { return }
            self?.fail(with: error)
        }
    }

    // MARK: - Owners

    private func retainOwner(of name: String) {
        if owners[name] == nil {
            let changes = subscribe(.owner(of: name)) { [weak self] signal in
                guard signal.arguments.count == 3, let owner = signal.arguments[2].asString else { return }
                self?.ownerChanged(of: name, to: owner.isEmpty ? nil : owner)
            }
            owners[name] = NameOwner(changes: changes)
            lookUpOwner(of: name)
        }
        owners[name]?.uses += 1
    }

    private func releaseOwner(of name: String) {
        owners[name]?.uses -= 1
        if owners[name]?.uses == 0 { _ = owners.removeValue(forKey: name) }
    }

    private func lookUpOwner(of name: String) {
        call(.bus("GetNameOwner", .string(name))) { [weak self] result in
            switch result {
            case .success(let values):
                self?.ownerFound(of: name, values.first?.asString)
            case .failure(let error) where error.kind == .serviceUnknown:
                self?.ownerFound(of: name, nil)
            case .failure(let error):
                // A bus that cannot tell this is of no use.
                self?.fail(with: error)
            }
        }
    }

    private func ownerFound(of name: String, _ owner: String?) {
        owners[name]?.owner = owner
        tellWatchers(of: name) { !$0.isTold }
    }

    private func ownerChanged(of name: String, to owner: String?) {
        owners[name]?.owner = owner
        tellWatchers(of: name) { _ in true }
    }

    private func tellWatchers(of name: String, where isWanted: (NameOwner.Watcher) -> Bool) {
        guard let watched = owners[name] else { return }
        for (identifier, watcher) in watched.watchers where isWanted(watcher) {
            owners[name]?.watchers[identifier]?.isTold = true
            watcher.handler(watched.owner)
        }
    }
}

extension MethodCall {
    /// A call to the bus itself.
    static func bus(_ member: String, _ arguments: BusValue...) -> MethodCall {
        MethodCall(
            to: StandardInterface.bus,
            path: StandardInterface.busPath,
            interface: StandardInterface.bus,
            member: member,
            arguments: arguments
        )
    }
}
