import AccessoryCore
import PTTMessages

/// One command of a control line.
enum Command: Equatable {
    case press(Int, ButtonRole)
    case release(Int, ButtonRole)
    case raw(Int, [UInt8], input: Int)
    case flood(Int, count: Int)
    case disconnect(Int)
    case sleep(Int)
    case wake(Int)
    case vanish(Int)
    case comeBack(Int)
    case onSubscribe(Int, [UInt8])
    case stored(Int, [UInt8])
    case sound(Int, isUp: Bool)
    case hide(Int)
    case page(Int)
    case closePort(Int)
    case refusePort(Int, count: Int)
    case power(Bool)
    case unplug
    case plug
    case crash
    case revive
    case quit
}

/// Why a line is not a command, or a command failed, for people.
struct CommandError: Error, CustomStringConvertible {
    let description: String
}

extension Command {
    /// The button or microphone that it is for.
    var number: Int? {
        switch self {
        case .press(let number, _), .release(let number, _), .raw(let number, _, input: _),
            .flood(let number, count: _), .disconnect(let number),
            .sleep(let number), .wake(let number), .vanish(let number), .comeBack(let number),
            .onSubscribe(let number, _), .stored(let number, _), .sound(let number, isUp: _),
            .hide(let number), .page(let number), .closePort(let number),
            .refusePort(let number, count: _):
            number
        case .power, .unplug, .plug, .crash, .revive, .quit: nil
        }
    }

    /// - Throws: If the line is not a command.
    init(line: String) throws(CommandError) {
        let words = line.split(separator: " ").map(String.init)
        guard let verb = words.first else { throw CommandError(description: "the line is empty") }
        let arguments = Array(words.dropFirst())
        switch verb {
        case "press":
            let (number, role) = try Self.buttonAndRole(arguments)
            self = .press(number, role)
        case "release":
            let (number, role) = try Self.buttonAndRole(arguments)
            self = .release(number, role)
        case "disconnect": self = .disconnect(try Self.button(arguments))
        case "sleep": self = .sleep(try Self.button(arguments))
        case "wake": self = .wake(try Self.button(arguments))
        case "vanish": self = .vanish(try Self.button(arguments))
        case "return": self = .comeBack(try Self.button(arguments))
        case "flood":
            guard let count = arguments.last.flatMap({ Int($0) }), (1...1_000_000).contains(count) else {
                throw CommandError(description: "expected how many notifications to send")
            }
            self = .flood(try Self.button(Array(arguments.dropLast())), count: count)
        case "page": self = .page(try Self.button(arguments))
        case "close-port": self = .closePort(try Self.button(arguments))
        case "refuse-port":
            guard let count = arguments.last.flatMap({ Int($0) }), (0...1000).contains(count) else {
                throw CommandError(description: "expected how many connections to refuse")
            }
            self = .refusePort(try Self.button(Array(arguments.dropLast())), count: count)
        case "raw":
            let isInput = arguments.count == 3
            let (button, bytes) = try Self.buttonAndBytes(isInput ? arguments.dropLast() : arguments)
            guard let input = isInput ? Int(arguments[2]) : 1, (1...99).contains(input) else {
                throw CommandError(description: "expected the number of an input at the end")
            }
            self = .raw(button, bytes, input: input - 1)
        case "on-subscribe":
            let (button, bytes) = try Self.buttonAndBytes(arguments)
            self = .onSubscribe(button, bytes)
        case "stored":
            let (button, bytes) = try Self.buttonAndBytes(arguments)
            self = .stored(button, bytes)
        case "sound":
            self = .sound(
                try Self.button(Array(arguments.dropLast())),
                isUp: try Self.isOn(arguments.suffix(1))
            )
        case "hide": self = .hide(try Self.button(arguments))
        case "power": self = .power(try Self.isOn(arguments))
        default: self = try Self.plain(verb, arguments)
        }
    }

    private static func plain(_ verb: String, _ arguments: [String]) throws(CommandError) -> Command {
        let commands: [String: Command] = [
            "unplug": .unplug, "plug": .plug, "crash": .crash, "revive": .revive, "quit": .quit,
        ]
        guard let command = commands[verb] else {
            throw CommandError(description: "there is no command \(verb); see ptt-sim help buttons")
        }
        guard arguments.isEmpty else { throw CommandError(description: "\(verb) has no arguments") }
        return command
    }

    private static func button(_ arguments: [String]) throws(CommandError) -> Int {
        guard let word = arguments.first else { return 1 }
        guard arguments.count == 1, let number = Int(word) else {
            throw CommandError(description: "expected the number of one button")
        }
        return number
    }

    private static func buttonAndRole(_ arguments: [String]) throws(CommandError) -> (Int, ButtonRole) {
        guard let last = arguments.last, Int(last) == nil else { return (try button(arguments), .talk) }
        guard let role = ButtonRole(fileText: last) else {
            throw CommandError(description: "expected the number of one button")
        }
        return (try button(Array(arguments.dropLast())), role)
    }

    private static func buttonAndBytes(_ arguments: [String]) throws(CommandError) -> (Int, [UInt8]) {
        guard let text = arguments.last, let bytes = bytes(text) else {
            throw CommandError(description: "expected bytes in hexadecimal at the end, for example 81")
        }
        return (try button(Array(arguments.dropLast())), bytes)
    }

    /// At most one notification in the largest ATT packet: 517 bytes including a header of 3.
    private static func bytes(_ text: String) -> [UInt8]? {
        (2...1028).contains(text.utf8.count) ? [UInt8](hexadecimal: text) : nil
    }

    private static func isOn(_ arguments: some Collection<String>) throws(CommandError) -> Bool {
        switch arguments.map(\.self) {
        case ["on"]: return true
        case ["off"]: return false
        default: throw CommandError(description: "expected on or off")
        }
    }
}
