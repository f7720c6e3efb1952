// ptt-mumble: a channel of a Mumble server as the push-to-talk channel of this machine.

import ArgumentParser
import Foundation
import MumbleCore
import PushToTalk

@main
struct Program: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ptt-mumble",
        abstract: "Makes a channel of a Mumble server the push-to-talk channel of this machine.",
        discussion: """
            It runs until the channel is left, for example by pttctl leave or Ctrl-C. Hold any enrolled button \
            to talk. The password of a server is in the environment variable PTT_MUMBLE_PASSWORD.
            """
    )

    @Argument(
        help: """
            mumble://USER@HOST[:PORT]/CHANNEL[/SUBCHANNEL]; without a channel, where the server puts USER.
            """,
        transform: { try ServerAddress($0) }
    )
    var address: ServerAddress

    @MainActor
    func run() async throws {
        // The manager calls its delegate on this queue. On the main queue, all of this application runs on
        // the main actor.
        PTChannelManager.pttCallbackQueue = .main
        let radio: Radio
        do {
            radio = try Radio(address, password: ProcessInfo.processInfo.environment["PTT_MUMBLE_PASSWORD"])
        } catch {
            Output.error(error.localizedDescription)
            throw ExitCode.failure
        }
        let signals = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
            source.setEventHandler { MainActor.assumeIsolated { radio.leave() } }
            source.resume()
            return source
        }
        await radio.start()
        let status = await radio.end()
        withExtendedLifetime(signals) {}
        throw ExitCode(status)
    }
}
