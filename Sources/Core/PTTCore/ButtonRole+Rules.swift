import PTTMessages

extension ButtonRole {
    /// True if a press begins a transmission also while a participant talks in half duplex. Only an
    /// emergency: the radio network gives it the channel, whoever talks.
    var talksOver: Bool { self == .emergency }

    /// Returns true if a press ends a transmission of another button and takes its place, as on a radio: the
    /// emergency button must not wait until another person releases a talk button. Emergencies do not end
    /// each other.
    func preempts(_ other: ButtonRole) -> Bool { self == .emergency && other != .emergency }
}

extension ChannelInterface.BeginRequest {
    var isRecording: Bool { recording != nil }

    /// The role by which it takes the place of others, and others its own: a recording is no emergency,
    /// whichever button is pressed for it.
    var rank: ButtonRole { isRecording ? .talk : role }
}

extension Transmission {
    /// As ``ChannelInterface/BeginRequest/rank``.
    var rank: ButtonRole { recording == nil ? role : .talk }
}
