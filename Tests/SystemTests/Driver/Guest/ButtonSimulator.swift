import AccessoryCore
import AccessoryFiles
import EventLoop
import Glibc

/// A simulated button, made from an accessory file.
struct Button: Equatable {
    /// Its name in the commands of `guest/buttons`.
    let key: String
    /// The accessory file, without `.toml`.
    let file: String
    let name: String
    /// Its identifier for ptt-accessoryd and the core.
    let address: String

    static let ffe0 = Button(key: "0", file: "ffe0", name: "PTT-Z01", address: "F0:00:00:00:00:01")
    static let aina = Button(key: "1", file: "aina", name: "APTT-1", address: "F0:00:00:00:00:02")
    static let nordic = Button(
        key: "2",
        file: "nordic-led-button",
        name: "Nordic_Blinky",
        address: "F0:00:00:00:00:03"
    )

    /// A speaker microphone with a serial port (classic Bluetooth).
    static let microphone = Button(
        key: "mic",
        file: "serial-ptt",
        name: "SPP-MIC",
        address: "00:1B:DC:00:00:77"
    )

    /// The buttons that the machine has from the start, which has the microphone too.
    static let atTheStart = [ffe0, aina, nordic]

    /// Its file, as the installed programs read it.
    func definition() throws -> AccessoryDefinition {
        guard let definition = AccessoryFolders.standard.load()[file] else {
            throw Failure("no accessory file \(file) is installed")
        }
        return definition
    }
}

/// Commands to the process that simulates the buttons and the adapter.
@EventLoop
enum ButtonSimulator {
    private static let path = "/run/buttons.sock"

    static func press(_ button: Button) async throws {
        try await expectSubscriber(try await perform("press \(button.key)"))
    }

    static func release(_ button: Button) async throws {
        try await perform("release \(button.key)")
    }

    /// Adds a button to those of the start, with options of `guest/buttons`: `notify-only`, `services=300`.
    ///
    /// - Parameters:
    ///   - button: The button.
    ///   - path: The file that it is made from, if that is not an installed one.
    ///   - options: The options.
    /// - Throws: ``Failure`` if there is no such file, or a button of that key.
    static func add(_ button: Button, from path: String? = nil, _ options: String = "") async throws {
        let file = path ?? button.file
        try await perform("add \(button.key) \(file) \(button.address) \(button.name) \(options)")
    }

    /// Removes all that were added; the machine has four accessories from the start.
    static func removeAdded() async throws {
        for entry in try await perform("list").split(separator: " ").dropFirst(4) {
            try await perform("remove \(entry.prefix { $0 != ":" })")
        }
    }

    /// Sends any value.
    static func send(_ hexadecimal: String, from button: Button) async throws {
        try await expectSubscriber(try await perform("raw \(button.key) \(hexadecimal)"))
    }

    /// Carries out a command of `guest/buttons` on one button.
    static func perform(_ command: String, on button: Button, with argument: String = "") async throws {
        try await perform("\(command) \(button.key) \(argument)")
    }

    /// Carries out a command of `guest/buttons`.
    ///
    /// - Returns: The answer without "ok"; it comes when the command was carried out.
    /// - Throws: ``Failure`` if the answer is an error.
    @discardableResult
    static func perform(_ command: String) async throws -> String {
        let socket = try Datagrams()
        try socket.send(command, to: path)
        try await until("the buttons answer \(command)") { socket.received != nil }
        let answer = socket.received ?? ""
        guard answer.hasPrefix("ok") else { throw Failure("the buttons answered \(command) with \(answer)") }
        return String(answer.dropFirst(3))
    }

    private static func expectSubscriber(_ receivers: String) async throws {
        guard receivers == "1" else { throw Failure("no client has subscribed to the button") }
    }
}

/// A datagram socket with an address of its own, for one answer.
@EventLoop
private final class Datagrams {
    private(set) var received: String?
    private let descriptor: OwnedDescriptor
    private var source: DescriptorSource?

    init() throws {
        let value = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard value >= 0 else { throw SystemError("make a datagram socket") }
        descriptor = OwnedDescriptor(adopting: value)
        // The kernel draws the address if only the family is given (unix(7), "autobind").
        var address = sockaddr(
            sa_family: sa_family_t(AF_UNIX),
            sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        )
        guard bind(value, &address, socklen_t(MemoryLayout<sa_family_t>.size)) == 0 else {
            throw SystemError("bind a datagram socket")
        }
        source = try DescriptorSource(value, .readable) { [weak self] _ in self?.receive() }
    }

    // Before the descriptor closes with this object.
    isolated deinit { source?.cancel() }

    func send(_ text: String, to path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bytes = Array(text.utf8)
        let sent = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor.value, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard sent == bytes.count else { throw SystemError("send \(text) to \(path)") }
    }

    private func receive() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor.value, &buffer, buffer.count, 0)
        guard count >= 0 else { return }
        received = String(decoding: buffer[..<count], as: UTF8.self)
        Conditions.evaluate()
    }
}
