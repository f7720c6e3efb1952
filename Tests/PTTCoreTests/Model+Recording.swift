import PTTCore
import PTTMessages

/// Semantics, “A recording”: one transmission at a time, which in this case the channel does not notice.
extension Model {
    /// The one transmission.
    var transmission: ActiveTransmission? {
        get { recording ?? heardTransmission }
        set {
            switch (recording, newValue?.isRecording) {
            case (_, true?), (_?, nil): recording = newValue
            case (_, false?), (nil, nil): heardTransmission = newValue
            }
        }
    }

    /// True if the microphone is open.
    var isSending: Bool { recording != nil || isHeardSending }

    /// Events of the channel or of its application end no recording.
    mutating func endHeard(_ cause: EndCause, by source: TransmitSource = .unknown) {
        if recording == nil { endTransmission(cause, by: source) }
    }

    /// Why a recording may not begin: every rule that needs no channel. It is no emergency.
    func recordingRefusal(_ client: ClientID, _ request: ChannelInterface.BeginRequest) -> String? {
        if attachments[client] != nil || channel?.running?.client == client { return "attachedAlready" }
        if let refusal = forbids(Self.recordingID) ?? standstill ?? lockRefusal { return refusal }
        if call != nil { return "callActive" }
        if let transmission, transmission.released == nil { return "inProgress" }
        if !hasAudioServer { return "noAudioServer" }
        return timedOut.contains(Button(origin: request.origin, role: request.role)) ? "timedOut" : nil
    }
}

extension Model.ActiveTransmission {
    var isRecording: Bool { recordingFormat != nil }

    var isEmergency: Bool { role == .emergency && !isRecording }
}
