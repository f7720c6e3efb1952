import CPulse
import EventLoop

/// A kind of thing that the server has, and reports changes of. Its number is that of libpulse in events, and
/// of the bit in what is subscribed to (`pa_subscription_match_flags` in `pulse/def.h`).
package enum DeviceKind: UInt32, Sendable, CaseIterable {
    case sink = 0
    case source = 1
    /// A stream that plays to a sink.
    case sinkInput = 2
    /// A stream that records from a source.
    case sourceOutput = 3
    case module = 4
    /// The names of the server's default devices, among others.
    case server = 7
    case card = 9
}

/// One thing that the server has.
struct ServerObject: Hashable {
    let kind: DeviceKind
    /// The server's, unique among those of its kind.
    let index: UInt32
}

/// A report of the server about one thing that it has.
package struct SoundDeviceEvent: Sendable, Hashable {
    package enum EventType: Sendable, Hashable { case new, change, remove }

    package let kind: DeviceKind
    /// The server's, unique among those of its kind.
    package let index: UInt32
    package let type: EventType

    var object: ServerObject { ServerObject(kind: kind, index: index) }
}

/// The observations of one ``AudioServer``, which outlive its connections.
@EventLoop
final class DeviceObservers {
    typealias Handler = @EventLoop (SoundDeviceEvent) -> Void

    private var entries: [Int: (kinds: Set<DeviceKind>, handler: Handler)] = [:]
    private var latest = 0
    /// Called when ``kinds`` may have changed.
    var changed: @EventLoop () -> Void = {}

    /// Everything that is observed.
    var kinds: Set<DeviceKind> { entries.values.reduce(into: []) { $0.formUnion($1.kinds) } }

    func add(_ kinds: Set<DeviceKind>, _ handler: @escaping Handler) -> Subscription {
        latest += 1
        let number = latest
        entries[number] = (kinds, handler)
        changed()
        return Subscription { [weak self] in
            self?.entries[number] = nil
            self?.changed()
        }
    }

    func report(_ event: SoundDeviceEvent) {
        // The order of the calls: that in which the observations were made. A handler may cancel
        // observations.
        for number in entries.keys.sorted() {
            guard let entry = entries[number], entry.kinds.contains(event.kind) else { continue }
            entry.handler(event)
        }
    }
}

extension DeviceKind {
    static func mask(of kinds: Set<DeviceKind>) -> pa_subscription_mask_t {
        pa_subscription_mask_t(rawValue: kinds.reduce(0) { $0 | 1 << $1.rawValue })
    }
}

extension SoundDeviceEvent {
    /// The report of a subscription; nil for a kind that is never subscribed to.
    init?(_ event: pa_subscription_event_type_t, _ index: UInt32) {
        let facility = event.rawValue & PA_SUBSCRIPTION_EVENT_FACILITY_MASK.rawValue
        guard let kind = DeviceKind(rawValue: facility) else { return nil }
        let type = pa_subscription_event_type_t(
            rawValue: event.rawValue & PA_SUBSCRIPTION_EVENT_TYPE_MASK.rawValue
        )
        switch type {
        case PA_SUBSCRIPTION_EVENT_NEW: self.init(kind: kind, index: index, type: .new)
        case PA_SUBSCRIPTION_EVENT_REMOVE: self.init(kind: kind, index: index, type: .remove)
        default: self.init(kind: kind, index: index, type: .change)
        }
    }
}
