import AccessoryCore
import ArgumentParser
import CommandLineTool
import EventLoop
import Glibc
import PTTMessages
import ServiceClient

struct TalkCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "talk",
        abstract: "Transmit until Ctrl-C, or for a given time.",
        discussion: "The transmission ends with this command: however it exits, the microphone closes."
    )

    @Option(name: .customLong("for"), help: "Stop after this time, for example 3s.")
    var limit: TimeSpan?

    @Option(
        help: "The button to stand in for: \(roleNames).",
        transform: role
    )
    var role = ButtonRole.talk

    @OptionGroup var output: OutputOptions

    /// Named as in accessory files.
    private static let roles = ButtonRole.allCases.filter(\.transmits)
    private static let roleNames = roles.map(\.fileText).joined(separator: ", ")

    private static func role(_ name: String) throws -> ButtonRole {
        guard let role = roles.first(where: { $0.fileText == name }) else {
            throw ValidationError("the role must be one of \(roleNames)")
        }
        return role
    }

    func perform() async throws {
        // Of this process alone.
        let origin = Origin(kind: .commandLine, identifier: "pttctl-\(getpid())", name: "pttctl talk")
        let end = try TalkEnd(after: limit?.duration)
        let core = try ServiceConnection.core()
        let events = try ServiceConnection.core()
        events.subscribe(
            { (update: ChannelInterface.Update) in
                guard let event = update.event else { return }
                output.show(update, at: update.time, event: Wording.line(event))
                if case .transmissionEnded(let transmission, _, _) = event, transmission.origin == origin {
                    end.stop.trigger(CommandError(Wording.line(event)))
                }
            },
            ended: { end.stop.trigger($0) }
        )
        // Its end may come first: the events have another connection.
        _ = try await core.call(
            ChannelInterface.beginTransmitting,
            .init(channelID: nil, source: .userRequest, origin: origin, role: role)
        )
        let levels = try FootLine(json: output.json)
        await end.stop.wait()
        levels?.close()
        if let failure = end.stop.failure { throw failure }
        // A release may lag, which it does not if this connection ends: a second Ctrl-C ends it at once.
        end.stop = try StopSignal()
        _ = try await core.call(
            ChannelInterface.endTransmitting,
            .init(channelID: nil, origin: origin, cause: .released)
        )
        await end.stop.wait()
        core.close()
        events.close()
    }
}

/// Has the signal that ends the transmission, and then the one that ends its lag: a closure of the loop may
/// not capture a variable that changes afterwards.
@EventLoop
private final class TalkEnd {
    var stop: StopSignal

    init(after limit: Duration?) throws { stop = try StopSignal(after: limit) }
}
