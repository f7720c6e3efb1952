import Diagnosis
import PTTMessages

/// The text for microphones, calls and the volume.
extension Wording {
    /// The rows of a status. What is as usual has none.
    static func audioRows(_ status: Status, _ unheard: [UnheardDevice]) -> [(String, String)] {
        var rows: [(String, String)] = []
        if let text = text(status.virtualMicrophone) { rows.append(("virtual", text)) }
        rows += unheard.map { ("virtual", "\($0.text): \($0.cure.text)") }
        if let microphone = status.microphone { rows.append(("microphone", text(microphone))) }
        if let call = status.call { rows.append(("call", "\(text(call)): presses are refused")) }
        if !status.recorders.isEmpty {
            let note =
                status.virtualMicrophone.isPresent
                ? "from a live microphone, not from the Push-to-Talk Microphone" : "no hindrance"
            rows.append(("recorders", "\(status.recorders.joined(separator: ", ")) (\(note))"))
        }
        if status.volume != Status.defaultVolume { rows.append(("volume", "\(status.volume) %")) }
        return rows
    }

    /// Nil if there is none by choice.
    static func text(_ microphone: VirtualMicrophone) -> String? {
        switch microphone {
        case .off: nil
        case .unavailable(let reason): "Push-to-Talk Microphone not available: \(reason)"
        case .idle: "Push-to-Talk Microphone: no application uses it"
        case .recorded(let applications):
            "Push-to-Talk Microphone: used by \(applications.joined(separator: ", "))"
        }
    }

    static func text(_ microphone: MicrophoneState) -> String {
        let hint =
            microphone.isMuted
            ? ", muted in the audio server" : microphone.isSilent ? ", its volume is zero" : ""
        return "\(microphone.description) (\(microphone.name))\(hint)"
    }

    static func text(_ call: ActiveCall) -> String { "\(call.name) (\(call.source))" }

    static func callLine(_ call: ActiveCall?) -> String {
        call.map { "a call began: \(text($0))" } ?? "the call has ended"
    }

    static func recordersLine(_ recorders: [String]) -> String {
        recorders.isEmpty
            ? "no other application records" : "other recorders: \(recorders.joined(separator: ", "))"
    }
}
