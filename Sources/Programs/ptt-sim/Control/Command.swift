import AccessoryCore
import PTTMessages

/// One command of a control line.
enum Command {
    /// For the button or microphone with this number.
    case accessory(Int, DeviceCommand)
    case power(Bool)
    case unplug
    case plug
    case crash
    case revive
    case quit
}

/// An order to a button or a microphone.
enum DeviceCommand {
    case set(ButtonRole, isPressed: Bool)
    case raw([UInt8], input: Int)
    case flood(count: Int)
    case disconnect
    case sleep
    case wake
    case vanish
    case onSubscribe([UInt8])
    case stored([UInt8])
    case sound(isUp: Bool)
    case hide
    case page
    case closePort
    case refusePort(count: Int)
}

/// The reason why a line is not a command, or a command failed, for people.
struct SimulationError: Error, CustomStringConvertible {
    let description: String
}

extension Command {
    private static let plain: [String: Command] = [
        "unplug": .unplug, "plug": .plug, "crash": .crash, "revive": .revive, "quit": .quit,
    ]

    /// - Throws: If the line is not a command.
    init(line: String) throws(SimulationError) {
        var words = line.split(separator: " ").map { String($0) }
        guard !words.isEmpty else { throw SimulationError(description: "the line is empty") }
        let verb = words.removeFirst()
        if let command = Self.plain[verb] {
            guard words.isEmpty else { throw SimulationError(description: "\(verb) has no arguments") }
            self = command
        } else if verb == "power" {
            self = .power(try isOn(words))
        } else {
            let command = try DeviceCommand(verb, &words)
            self = .accessory(try Self.number(words), command)
        }
    }

    private static func number(_ words: [String]) throws(SimulationError) -> Int {
        guard let word = words.first else { return 1 }
        guard words.count == 1, let number = Int(word) else {
            throw SimulationError(description: "expected the number of one button")
        }
        return number
    }
}

extension DeviceCommand {
    private static let plain: [String: DeviceCommand] = [
        "disconnect": .disconnect, "sleep": .sleep, "wake": .wake, "vanish": .vanish, "return": .wake,
        "hide": .hide, "page": .page, "close-port": .closePort,
    ]

    /// Takes its arguments off the end of the words, of which the number of the accessory is left.
    fileprivate init(_ verb: String, _ words: inout [String]) throws(SimulationError) {
        switch verb {
        case "press", "release": self = .set(try Self.role(&words), isPressed: verb == "press")
        case "raw":
            let last = words.count == 3 ? Int(words.removeLast()) : 1
            let bytes = try Self.bytes(&words)
            guard let input = last, (1...99).contains(input) else {
                throw SimulationError(description: "expected the number of an input at the end")
            }
            self = .raw(bytes, input: input - 1)
        case "flood":
            self = .flood(count: try Self.count(&words, 1...1_000_000, "notifications to send"))
        case "on-subscribe": self = .onSubscribe(try Self.bytes(&words))
        case "stored": self = .stored(try Self.bytes(&words))
        case "sound": self = .sound(isUp: try isOn(words.popLast().map { [$0] } ?? []))
        case "refuse-port":
            self = .refusePort(count: try Self.count(&words, 0...1000, "connections to refuse"))
        default:
            guard let command = Self.plain[verb] else {
                throw SimulationError(description: "there is no command \(verb); see ptt-sim help buttons")
            }
            self = command
        }
    }

    private static func role(_ words: inout [String]) throws(SimulationError) -> ButtonRole {
        guard let last = words.last, Int(last) == nil else { return .talk }
        guard let role = ButtonRole(fileText: last) else {
            throw SimulationError(description: "expected the number of one button")
        }
        words.removeLast()
        return role
    }

    /// At most one notification in the largest ATT packet: 517 bytes including a header of 3.
    private static func bytes(_ words: inout [String]) throws(SimulationError) -> [UInt8] {
        guard let text = words.popLast(), (2...1028).contains(text.utf8.count),
            let bytes = [UInt8](hexadecimal: text)
        else {
            throw SimulationError(description: "expected bytes in hexadecimal at the end, for example 81")
        }
        return bytes
    }

    private static func count(_ words: inout [String], _ limits: ClosedRange<Int>, _ what: String)
        throws(SimulationError) -> Int
    {
        guard let count = words.popLast().flatMap({ Int($0) }), limits.contains(count) else {
            throw SimulationError(description: "expected how many \(what)")
        }
        return count
    }
}

private func isOn(_ words: [String]) throws(SimulationError) -> Bool {
    switch words {
    case ["on"]: return true
    case ["off"]: return false
    default: throw SimulationError(description: "expected on or off")
    }
}
