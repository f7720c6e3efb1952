/// The source of a request for a transmission: `PTChannelTransmitRequestSource` of Apple's framework.
package enum TransmitSource: String, WireEnum {
    case unknown
    /// A person, through the system's own interface: `pttctl`.
    case userRequest
    /// The application, also for an accessory that it handles itself.
    case developerRequest
    /// A button of an accessory that the system handles.
    case handsfreeButton
}

/// The transmission in progress.
package struct Transmission: Equatable, Codable, Sendable {
    package let transmissionID: TransmissionID
    package let source: TransmitSource
    package let origin: Origin
    /// Microseconds of the monotonic clock.
    package let began: Int
    /// The button that began it, one that ``ButtonRole/transmits``; `talk` also where there is no button.
    package let role: ButtonRole
    /// The time at which its button was released after a tap that keeps the transmission on until the next
    /// press, in microseconds of the monotonic clock; nil otherwise.
    package var latched: Int?
    /// Of a recording: it is not heard by the channel, but received by the client that began it, in this
    /// format.
    package let recording: AudioFormat?

    package init(
        transmissionID: TransmissionID,
        source: TransmitSource,
        origin: Origin,
        began: Int,
        role: ButtonRole = .talk,
        latched: Int? = nil,
        recording: AudioFormat? = nil
    ) {
        self.transmissionID = transmissionID
        self.source = source
        self.origin = origin
        self.began = began
        self.role = role
        self.latched = latched
        self.recording = recording
    }
}

/// Numbers the transmissions of one run of the core, from 1.
package struct TransmissionID: RawRepresentable, Hashable, Codable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }
}
