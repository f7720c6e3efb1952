package import EventLoop

/// The handlers of signals, in the order in which they were added.
struct SubscriptionTable {
    struct Entry {
        let rule: MatchRule
        let handler: @EventLoop (BusSignal) -> Void
    }

    private var entries: [UInt64: Entry] = [:]
    /// Identifiers by the path of their rule; those of rules for any path under nil. A client may watch
    /// hundreds of objects, and the time for a signal must not depend on their number.
    private var identifiers: [ObjectPath?: [UInt64]] = [:]
    private var uses: [MatchRule: Int] = [:]
    private var last: UInt64 = 0

    subscript(identifier: UInt64) -> Entry? { entries[identifier] }

    /// The subscriptions that a signal from `path` may match, in the order in which they were added.
    func identifiers(for path: ObjectPath) -> [UInt64] {
        let specific = identifiers[path] ?? []
        guard let general = identifiers[nil] else { return specific }
        return specific.isEmpty ? general : (specific + general).sorted()
    }

    /// - Returns: The number of the entry, and true if its rule has to be added to the bus.
    mutating func add(_ entry: Entry) -> (identifier: UInt64, isFirst: Bool) {
        last += 1
        identifiers[entry.rule.path, default: []].append(last)
        entries[last] = entry
        uses[entry.rule, default: 0] += 1
        return (last, uses[entry.rule] == 1)
    }

    /// - Returns: The removed entry, and whether the rule has to be removed from the bus. The entry is
    ///   returned so that its handler is released after this access to the table: what it captured may use
    ///   the table when released.
    mutating func remove(_ identifier: UInt64) -> (entry: Entry, isLast: Bool)? {
        guard let entry = entries.removeValue(forKey: identifier) else { return nil }
        identifiers[entry.rule.path]?.removeAll { $0 == identifier }
        if identifiers[entry.rule.path]?.isEmpty == true { identifiers[entry.rule.path] = nil }
        let count = uses[entry.rule, default: 1] - 1
        uses[entry.rule] = count == 0 ? nil : count
        return (entry, count == 0)
    }
}

/// The owner of a well-known name of which signals are awaited.
struct NameOwner {
    /// Nil while the name has no owner, and until the watch has reported it.
    var owner: String?
    /// The number of subscriptions by this sender.
    var uses = 0
    let watch: Subscription
}

extension BusConnection {
    /// Calls `handler` for every signal that matches `rule`, synchronously and in the order of the bus.
    ///
    /// Does not wait for the bus to add the rule. If the bus refuses it, as invalid or as one too many, the
    /// connection fails (``onLost``): otherwise signals would be missed silently.
    package func subscribe(_ rule: MatchRule, handler: @escaping @EventLoop (BusSignal) -> Void)
        -> Subscription
    {
        guard isOpen else { return Subscription {} }
        // The owner is looked up before the rule is added, so that the answer arrives before the first
        // signal.
        let name = rule.sender.flatMap { Self.isWellKnown($0) ? $0 : nil }
        if let name { retainOwner(of: name) }
        let (identifier, isFirst) = subscriptions.add(.init(rule: rule, handler: handler))
        if isFirst { updateMatch("AddMatch", rule) }
        return Subscription { [weak self] in
            guard let self, isOpen else { return }
            let removed = subscriptions.remove(identifier)
            if let removed, removed.isLast { updateMatch("RemoveMatch", removed.entry.rule) }
            if let name { releaseOwner(of: name) }
        }
    }

    /// Reports the current owner of a unique or well-known name, as soon as the bus has answered, and then
    /// every change: the unique name of the owner, or nil while there is none.
    package func watchName(_ name: String, handler: @escaping @EventLoop (String?) -> Void) -> Subscription {
        guard isOpen else { return Subscription {} }
        // Not after a change, which has reported what the bus answers after it, nor after the end of the
        // subscription.
        var isAnswerWanted = true
        let changes = subscribe(.owner(of: name)) { signal in
            guard signal.arguments.count == 3, let owner = signal.arguments[2].asString else { return }
            isAnswerWanted = false
            handler(owner.isEmpty ? nil : owner)
        }
        call(.bus("GetNameOwner", .string(name))) { [weak self] result in
            switch result {
            case .success(let values):
                if isAnswerWanted { handler(values.first?.asString) }
            case .failure(let error) where error.kind == .serviceUnknown:
                if isAnswerWanted { handler(nil) }
            case .failure(let error):
                // A bus that cannot answer this is of no use.
                self?.fail(with: error)
            }
        }
        return Subscription {
            isAnswerWanted = false
            changes.cancel()
        }
    }

    /// Any peer may send a signal directly to this connection, whatever its match rules. Therefore the sender
    /// and the other header fields are checked first, and the body is decoded only if a subscription matches.
    func received(signal message: borrowing BusMessage) {
        guard let header = SignalHeader(of: message) else { return }
        let sender = message.sender
        // A loop instead of a closure: each call of a closure would check its actor's isolation.
        var matching: [UInt64] = []
        for identifier in subscriptions.identifiers(for: header.path)
        where isSender(sender, matchedBy: identifier)
            && subscriptions[identifier]?.rule.matches(header) == true
        {
            matching.append(identifier)
        }
        guard !matching.isEmpty else { return }
        do throws(BusError) {
            let arguments = try message.arguments()
            let signal = BusSignal(
                path: header.path,
                interface: header.interface,
                member: header.member,
                arguments: arguments,
                sender: sender,
                serial: message.serial
            )
            for identifier in matching {
                // An earlier handler may have cancelled this subscription.
                subscriptions[identifier]?.handler(signal)
            }
        } catch {
            // Otherwise the signal would be missed silently.
            fail(with: error)
        }
    }

    private func isSender(_ sender: String?, matchedBy identifier: UInt64) -> Bool {
        guard let rule = subscriptions[identifier]?.rule else { return false }
        guard let wanted = rule.sender else { return true }
        guard Self.isWellKnown(wanted) else { return sender == wanted }
        guard let owner = owners[wanted]?.owner else { return false }
        return sender == owner
    }

    /// The bus itself uses its well-known name as sender; unique names begin with a colon.
    private static func isWellKnown(_ name: String) -> Bool {
        name.utf8.first != UInt8(ascii: ":") && name != StandardInterface.bus
    }

    private func updateMatch(_ member: String, _ rule: MatchRule) {
        call(.bus(member, .string(rule.text))) { [weak self] result in
            guard member == "AddMatch", case .failure(let error) = result else { return }
            self?.fail(with: error)
        }
    }

    // MARK: - Owners

    private func retainOwner(of name: String) {
        if owners[name] == nil {
            let watch = watchName(name) { [weak self] in self?.owners[name]?.owner = $0 }
            owners[name] = NameOwner(watch: watch)
        }
        owners[name]?.uses += 1
    }

    private func releaseOwner(of name: String) {
        owners[name]?.uses -= 1
        if owners[name]?.uses == 0 { _ = owners.removeValue(forKey: name) }
    }
}
