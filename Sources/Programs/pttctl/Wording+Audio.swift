import CommandLineTool
import Invocation
import PTTMessages

/// The text for microphones, calls and the volume.
extension Wording {
    /// The rows of a status. What is as usual has none.
    static func audioRows(_ status: Status, _ unheard: [UnheardDevice]) -> [(String, String)] {
        var rows: [(String, String)] = []
        if let text = text(status.virtualMicrophone) { rows.append((localized("virtual"), text)) }
        rows += unheard.map { (localized("virtual"), "\($0.text.localized): \($0.cure)") }
        if let microphone = status.microphone { rows.append((localized("microphone"), text(microphone))) }
        if let call = status.call {
            rows.append((localized("call"), localized("\(text(call)): presses are refused")))
        }
        if !status.recorders.isEmpty {
            let note =
                status.virtualMicrophone.isPresent
                ? localized("from a live microphone, not from the Push-to-Talk Microphone")
                : localized("no hindrance")
            rows.append((localized("recorders"), "\(status.recorders.joined(separator: ", ")) (\(note))"))
        }
        if status.volume != Status.defaultVolume { rows.append((localized("volume"), "\(status.volume) %")) }
        return rows
    }

    /// Nil if there is none by choice.
    static func text(_ microphone: VirtualMicrophone) -> String? {
        switch microphone {
        case .off: nil
        case .unavailable(let reason): localized("Push-to-Talk Microphone not available: \(reason)")
        case .idle: localized("Push-to-Talk Microphone: no application uses it")
        case .recorded(let applications):
            localized("Push-to-Talk Microphone: used by \(applications.joined(separator: ", "))")
        }
    }

    static func text(_ microphone: MicrophoneState) -> String {
        let hint =
            microphone.isMuted
            ? localized(", muted in the audio server")
            : microphone.isSilent ? localized(", its volume is zero") : ""
        return "\(microphone.description) (\(microphone.name))\(hint)"
    }

    static func text(_ call: ActiveCall) -> String { "\(call.name) (\(call.source))" }
}
