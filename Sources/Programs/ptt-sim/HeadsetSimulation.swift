import EventLoop
import Input

/// The headset and its control.
@EventLoop
final class HeadsetSimulation {
    /// The time for which a person holds a key for a tap.
    private static let tapLength = Duration.milliseconds(100)

    private static let keys: [String: KeyCode] = [
        "play": .playPause, "next": .nextSong, "up": .volumeUp, "down": .volumeDown,
    ]

    private let name: String
    private var headset: VirtualDevice?
    private var console: Console?
    private var tap: TimerSource?

    /// Plugs it in.
    ///
    /// - Throws: If this user may not, or there is no uinput.
    init(name: String) throws(SystemError) {
        self.name = name
        let headset = try VirtualDevice(name: name)
        self.headset = headset
        printLine("ready \(headset.devnode)")
        let console = Console { [weak self] in self?.received($0) }
        self.console = console
        if console.isTerminal { printLine("space: tap play   u: unplug and plug   q: quit") }
    }

    func end(_ code: Int32) {
        console?.close()
        headset?.remove()
        EventLoop.exit(code: code)
    }

    private func received(_ input: Console.Input) {
        switch input {
        case .line(let line): carryOut(line) { printLine($0) }
        case .key(" "): carryOut("tap play") { printLine($0 == "ok" ? "tapped" : $0) }
        case .key("u"): carryOut(headset == nil ? "plug" : "unplug") { printLine($0) }
        case .key("q"), .end: end(0)
        case .key: break
        }
    }

    /// Answers exactly once, when the command has been carried out.
    private func carryOut(_ line: String, answer: @escaping @EventLoop (String) -> Void) {
        do {
            let words = line.split(separator: " ").map(String.init)
            switch (words.first ?? "", words.count) {
            case ("press", 1...2): try plugged().press(try key(words))
            case ("release", 1...2): try plugged().release(try key(words))
            case ("tap", 1...2): return try tap(words, answer: answer)
            case ("unplug", 1):
                try plugged().remove()
                headset = nil
            case ("plug", 1):
                guard headset == nil else { throw SimulationError(description: "it is already plugged in") }
                headset = try VirtualDevice(name: name)
            case ("quit", 1): end(0)
            default:
                throw SimulationError(description: "there is no command \(line); see ptt-sim help headset")
            }
            answer("ok")
        } catch {
            answer("error: \(error)")
        }
    }

    private func tap(_ words: [String], answer: @escaping @EventLoop (String) -> Void) throws {
        guard tap == nil else { throw SimulationError(description: "the last tap has not ended yet") }
        try plugged().press(try key(words))
        tap = TimerSource { [weak self] in
            self?.tap = nil
            self?.carryOut((["release"] + words.dropFirst()).joined(separator: " "), answer: answer)
        }
        tap?.arm(after: Self.tapLength)
    }

    private func plugged() throws(SimulationError) -> VirtualDevice {
        guard let headset else { throw SimulationError(description: "it is unplugged; use plug") }
        return headset
    }

    private func key(_ words: [String]) throws(SimulationError) -> KeyCode {
        guard words.count == 2 else { return .playPause }
        guard let key = Self.keys[words[1]] else {
            throw SimulationError(description: "there is no key \(words[1]), only play, next, up and down")
        }
        return key
    }
}
