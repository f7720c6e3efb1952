import CommandLineTool
import Invocation
import PTTMessages

/// The text for microphones, calls, the volume and the levels.
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

    private static let levelBars = 20
    /// dB of full scale for each bar; speech at a usual distance fills about half of them.
    private static let levelStep = 3.0

    /// Returns the levels of what passes through microphone and speaker; empty if nothing does.
    static func line(_ report: ChannelInterface.LevelReport) -> String {
        let levels = [(localized("microphone"), report.microphone), (localized("speaker"), report.speaker)]
        return levels.compactMap { name, level in
            level.map { "\(name) \(bar($0)) \(Int($0.rounded())) dB" }
        }.joined(separator: "   ")
    }

    private static func bar(_ level: Double) -> String {
        let filled = min(max(levelBars + Int((level / levelStep).rounded()), 0), levelBars)
        return String(repeating: "▮", count: filled) + String(repeating: "▯", count: levelBars - filled)
    }
}
