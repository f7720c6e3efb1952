package import PTTMessages

/// The number of an attempt to transmit, unique within one accessory: an answer of the core that arrives late
/// is recognised by it.
package struct AttemptID: Hashable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }
}

/// The answer of a button when its value was read.
package enum FenceAnswer: Equatable, Sendable {
    case value([UInt8])
    /// It has no value to read, or the read failed.
    case refused
    /// There is no link to read it over. BlueZ turns notifications on without one as well, for the next link:
    /// a headset may be connected by its other transport alone.
    case notConnected
}

/// The permission of an accessory to talk: without it its presses do not count.
package enum Permission: Equatable, Sendable {
    case given
    /// The link works and presses are published as ignored, but nothing begins. The cause is that of the end
    /// of a transmission that loses its permission; the reason is for people.
    case withheld(reason: String, cause: EndCause)
}

extension Accessory {
    /// An event of one accessory, or of a transmission that it requested. Those of another kind of link than
    /// it has are ignored.
    package enum Event: Equatable, Sendable {
        case gatt(GattEvent)
        case stream(StreamEvent)
        case keys(KeyEvent)

        // The core.

        /// The core accepted ``Effect/begin(_:_:)``.
        case began(TransmissionID, AttemptID)
        /// The core refused ``Effect/begin(_:_:)``, or is not connected.
        case refused(RefusalCode, AttemptID)
        /// A transmission ended; those of other origins are ignored.
        case transmissionEnded(TransmissionID, EndCause)
        /// The connection to the core closed, and with it any transmission.
        case coreLost

        case permissionChanged(Permission)
        case renamed(String)
        /// The charge in percent, from another source than the accessory's inputs.
        case batteryChanged(Int)
        /// Advice on what a person should do about the link, for the list; nil if all is well.
        case adviceChanged(String?)
        case timerFired
    }

    /// Of a Bluetooth button. An index is that of an input of the definition.
    package enum GattEvent: Equatable, Sendable {
        /// A new link is up. If one was up before, it counts as lost.
        case connected
        /// As ``connected``, of a device that may also carry sound on a link of classic Bluetooth, which
        /// ``Effect/disconnect`` would break as well: it is never ordered for it.
        case sharedLinkConnected
        /// - Parameter found: The inputs whose characteristics the device has. The event is repeated if that
        ///   changes.
        case servicesResolved(found: Set<Int>)
        /// ``Effect/subscribe(_:)`` succeeded.
        case notificationsEnabled(Int)
        /// ``Effect/subscribe(_:)`` failed or took too long.
        case notificationsFailed(Int, reason: String)
        /// The answer to ``Effect/fence(_:)``.
        case fenceAnswered(Int, FenceAnswer)
        /// Notifications were on and have been turned off.
        case notificationsStopped(Int)
        /// The services or a characteristic were removed, or are being discovered again.
        case servicesGone
        /// The link is down. The cause becomes that of a transmission's end: ``EndCause/linkLost`` unless a
        /// more specific one is known.
        case disconnected(EndCause)
        /// The adapter was powered off or unplugged, or `bluetoothd` or the bus has stopped.
        case bluetoothLost
        /// One for each notification, even if the value has not changed.
        case valueNotified([UInt8], input: Int)
        /// A value that the button has notified, or that somebody has read: while it is not known which, it
        /// can keep a button from beginning, and nothing else.
        case valueSeen([UInt8], input: Int)
    }

    /// Of a serial port, or of the advertisements that bluetoothd reports.
    package enum StreamEvent: Equatable, Sendable {
        case opened
        /// The cause becomes that of a transmission's end.
        case closed(EndCause)
        /// It could not be opened. The reason is for people.
        case unavailable(reason: String)
        /// As ``GattEvent/bluetoothLost``.
        case bluetoothLost
        case bytesReceived([UInt8])
        case advertised(BTHome.Packet)
    }

    /// Of an input device. Codes are the kernel's (`input-event-codes.h`); autorepeat is not passed on.
    package enum KeyEvent: Equatable, Sendable {
        case pressed(UInt16)
        case released(UInt16)
        /// The kernel dropped events, and this is the present state of a key.
        case resynchronised(UInt16, isPressed: Bool)
        /// The kernel dropped events. Differences from the state before follow as
        /// ``resynchronised(_:isPressed:)``.
        case eventsLost
        /// The plug of the jack was put in or pulled.
        case plugChanged
        /// The input device is gone. No event follows.
        case deviceRemoved
    }

    /// An order to the shell. Among the effects of one event, those that concern the microphone come first.
    package enum Effect: Equatable, Sendable {
        /// Request a transmission for the origin from the core. Answer with ``Event/began(_:_:)`` or
        /// ``Event/refused(_:_:)``.
        case begin(AttemptID, ButtonRole)
        /// Notify the core that a button of the origin was released, or lost; nil: all of them.
        case end(EndCause, ButtonRole?)
        /// Notify the core that a button of the origin was released, although there is no observed press of
        /// it: since a time limit the core may be waiting for the release. Nil: all of them.
        case letGo(ButtonRole?)
        /// Notify the core that a button was tapped, and keeps its transmission on until the next press.
        case latch(ButtonRole)
        /// Notify the core of a button that does not transmit.
        case report(ButtonRole, isPressed: Bool)
        /// Turn the notifications of an input on, whether or not they are on already. Answer with
        /// ``GattEvent/notificationsEnabled(_:)`` or, after at most 10 s,
        /// ``GattEvent/notificationsFailed(_:reason:)``.
        case subscribe(Int)
        /// Read the value of an input, once. Answer with ``GattEvent/fenceAnswered(_:_:)``, or never. The
        /// answer comes after every notification that the button had sent before, because the attribute
        /// protocol is ordered.
        case fence(Int)
        /// Break the link, and let the button connect again: it does not work on this one.
        case disconnect
        /// There is one timer; a new time replaces the previous one.
        case setTimer(MonotonicTime)
        case cancelTimer
        /// Publish that it was pressed, released or ignored, or that the device has changed.
        case publish(AccessoryEvent)
    }
}

/// The effects of one event, in order: what concerns the microphone first.
struct EffectList {
    private(set) var effects: [Accessory.Effect] = []
    private var urgent = 0

    /// An effect that concerns the microphone or a button's function.
    mutating func order(_ effect: Accessory.Effect) {
        effects.insert(effect, at: urgent)
        urgent += 1
    }

    mutating func append(_ effect: Accessory.Effect) {
        effects.append(effect)
    }
}
