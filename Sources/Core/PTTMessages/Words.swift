/// What asked for a transmission: `PTChannelTransmitRequestSource` of Apple's framework.
package enum TransmitSource: String, WireEnum {
    case unknown
    /// A person, through the system's own interface. Here: `pttctl`.
    case userRequest
    /// The application, which includes an accessory that the application handles itself.
    case developerRequest
    /// A button of an accessory that the system handles.
    case handsfreeButton
}

/// The kind of thing that a press came from.
package enum OriginKind: String, WireEnum {
    case unknown
    case application
    case commandLine
    case bluetoothButton
    case wiredHeadset
}

/// Who or what holds a transmission. Two origins are the same if kind and identifier are.
package struct Origin: Hashable, Codable, Sendable {
    package let kind: OriginKind
    /// Stable over reconnection: a Bluetooth address, the identity of an input device, a process.
    package let identifier: String
    /// For people.
    package let name: String

    package init(kind: OriginKind, identifier: String, name: String) {
        self.kind = kind
        self.identifier = identifier
        self.name = name
    }

    package static func == (left: Origin, right: Origin) -> Bool {
        left.kind == right.kind && left.identifier.hasSameBytes(as: right.identifier)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        identifier.hashBytes(into: &hasher)
    }
}

/// Why a transmission ended.
package enum EndCause: String, WireEnum {
    case unknown
    /// The button was let go, or the toggle key pressed again.
    case released
    /// The application or a person asked for the end.
    case stopped
    /// The time-out timer ran out.
    case timeLimit
    /// The connection that held the transmission closed: its program ended, was killed, or broke the protocol.
    case connectionLost
    /// The application of the channel went away.
    case applicationGone
    /// The application of the channel closed its audio socket, or broke its protocol.
    case audioConnectionLost
    case channelLeft
    /// The radio link to the button broke, its services went, the adapter or bluetoothd did.
    case linkLost
    /// The input device was unplugged.
    case deviceRemoved
    /// The audio server went away or refused the microphone.
    case audioServerLost
    /// The microphone went away or stopped delivering.
    case microphoneLost
    /// There is no microphone, or not the one that the configuration names. What a speaker plays is none.
    case noMicrophone
    case suspended
    /// The screen was locked, and the configuration says that nothing is transmitted behind a locked one.
    case sessionLocked
    /// Another session came to the front of the seat.
    case sessionInactive
    /// The channel's transmission mode no longer allows it.
    case modeChanged
    /// The application of the channel was started for it and did not come.
    case applicationUnavailable
    /// The core is shutting down.
    case shuttingDown
}

/// Why a channel became joined: `PTChannelJoinReason` of Apple's framework.
package enum JoinReason: String, WireEnum {
    case unknown
    case developerRequest
    /// The channel outlived its application, or the core, and its application is back.
    case channelRestoration
}

/// Why a channel was left: `PTChannelLeaveReason` of Apple's framework.
package enum LeaveReason: String, WireEnum {
    case unknown
    /// A person, through the system's own interface. Here: `pttctl`.
    case userRequest
    case developerRequest
    /// A rule of the policy file that did not hold when the channel was joined.
    case systemPolicy
}

/// What the application says of its connection to its servers: `PTServiceStatus` of Apple's framework.
package enum ServiceStatus: String, WireEnum {
    case unknown
    case ready
    case connecting
    case unavailable
}

/// Who may talk when: `PTTransmissionMode` of Apple's framework.
package enum TransmissionMode: String, WireEnum {
    case unknown
    case fullDuplex
    /// One at a time.
    case halfDuplex
    case listenOnly
}

/// What took the audio session away from somebody who still wants it.
package enum Interruption: String, WireEnum {
    case unknown
    case audioServerLost
    case speakerLost
    /// The application closed its audio socket, or broke its protocol.
    case audioConnectionLost
    case suspended
}

/// Why a request was refused: `PTChannelError.Code` of Apple's framework, by name.
package enum RefusalCode: String, WireEnum {
    case unknown
    case channelNotFound
    case channelLimitReached
    case callActive
    case transmissionInProgress
    case transmissionNotFound
    case appNotForeground
    case deviceManagementRestriction
    case screenTimeRestriction
    case transmissionNotAllowed
}

/// A refused request: a code for programs and a sentence for people.
package struct Refusal: Error, Equatable, Codable, Sendable, CustomStringConvertible {
    package let code: RefusalCode
    package let reason: String

    package init(_ code: RefusalCode, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    package var description: String { reason }
}

/// The life of the audio session, which the core opens and closes.
package enum AudioState: String, WireEnum {
    case unknown
    case inactive
    /// A stream is being opened: no sound came from the microphone, or went to the speaker, yet.
    case activating
    /// The microphone has delivered its first buffer, or the speaker is open.
    case active
}
