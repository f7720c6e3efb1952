import EventLoop
import Glibc
import PTTMessages
import ServiceClient

/// The daemons with a sound server of their own, and a button.
@EventLoop
struct SoundStack {
    let buttons: ButtonStack
    let sound: SoundServer
    private let stack: StackFixture

    /// Frames wait for no tone, and no tone follows a transmission: what is heard next is an answer to the
    /// next press.
    static let withoutGate = "[tones]\ngate = \"off\"\nend = \"\"\n"
    static let withGate = "[tones]\nend = \"\"\n"

    static func start(
        _ name: String,
        _ sound: SoundServer,
        configuration: String,
        on stack: StackFixture
    ) async throws -> SoundStack {
        let buttons = try await ButtonStack.start(
            name,
            buttons: 0,
            sound: (sound.address, configuration),
            on: stack
        )
        let result = SoundStack(buttons: buttons, sound: sound, stack: stack)
        try await result.until { if case .idle = $0 { true } else { false } }
        return result
    }

    func end() { buttons.end() }

    /// A client of the sound server that acts with each press of a button of its own.
    func client(_ part: BaselineSound, _ arguments: String...) async throws -> SoundClient {
        try await .start(part, arguments, sound, on: stack, pressedOn: buttons)
    }

    /// One that acts by itself, or with each request.
    func unpressedClient(_ part: BaselineSound, _ arguments: String...) async throws -> SoundClient {
        try await .start(part, arguments, sound, on: stack)
    }

    /// A program that records from the Push-to-Talk Microphone, as the core knows.
    func recorder(fragment: Int) async throws -> SoundClient {
        let recorder = try await unpressedClient(.listen, "ptt_mic", "\(fragment)")
        try await until { if case .recorded = $0 { true } else { false } }
        return recorder
    }

    /// Waits until the Push-to-Talk Microphone is in this state.
    func until(_ isWanted: (VirtualMicrophone) -> Bool) async throws {
        try await buttons.withSockets {
            let connection = try ServiceConnection.core()
            defer { connection.close() }
            while !isWanted(try await connection.status().virtualMicrophone) {
                await pause(.milliseconds(10))
            }
        }
    }
}
