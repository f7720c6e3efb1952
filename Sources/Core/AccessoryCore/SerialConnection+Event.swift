package import PTTMessages

extension SerialConnection {
    package enum Event: Equatable, Sendable {
        /// bluetoothd runs, the adapter is on, and the registration of the service class was answered.
        case available(Registration)
        /// bluetoothd or the bus has stopped, or the adapter is off. A descriptor that bluetoothd has passed
        /// may live on; until it is closed a new bluetoothd cannot connect.
        case bluetoothLost
        /// The accessory is not used any more.
        case dismissed
        /// A link to the accessory is up, for any profile: it has connected by itself, for example.
        case linkUp
        case linkDown
        /// It was seen nearby, or a person wants to talk or asks for it.
        case wanted
        /// `ConnectProfile` was answered.
        case profileConnected
        case profileFailed(Failure)
        /// `DisconnectProfile` was answered, in any way.
        case profileDisconnected
        /// `NewConnection` has passed a port.
        case portReceived
        case directOpened
        case directFailed(Failure)
        /// The open port was closed by the accessory, or has failed.
        case portClosed
        /// `RequestDisconnection`.
        case disconnectionRequested
        case timerFired
    }

    /// An order to the shell. Among the effects of one event, the end of a port comes first.
    package enum Effect: Equatable, Sendable {
        /// Call `ConnectProfile`. Answer with ``Event/profileConnected`` or ``Event/profileFailed(_:)``
        /// within a limit.
        case connectProfile
        /// Call `DisconnectProfile`. Answer with ``Event/profileDisconnected`` within a limit.
        case disconnectProfile
        /// Connect a socket. Answer with ``Event/directOpened`` or ``Event/directFailed(_:)`` within a limit.
        case connectDirectly
        case cancelDirect
        /// Read the port that was received or opened.
        case adoptPort
        /// Close the port that is being read; what was pressed is released.
        case closePort
        /// There is one timer; a new time replaces the previous one.
        case setTimer(MonotonicTime)
        case cancelTimer
    }
}
