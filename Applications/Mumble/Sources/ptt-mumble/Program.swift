// ptt-mumble: a channel of a Mumble server as the push-to-talk channel of this machine.

import ArgumentParser
import Foundation
import MumbleCore
import PushToTalk

@main
struct Program: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ptt-mumble",
        abstract: "Makes a channel of a Mumble server the push-to-talk channel of this machine.",
        discussion: """
            It runs until the channel is left, for example by pttctl leave or Ctrl-C. Hold any enrolled \
            button to talk. Lines of NAME = "mumble://USER[:PASSWORD]@HOST/CHANNEL" in \
            ~/.config/pushtotalk/mumble.toml give channels names; channel up and channel down of a \
            microphone step through them.
            """,
        version: "0.1.0"
    )

    @Flag(help: "Say what is wrong, and what cures it, in place of joining the channel.")
    var check = false

    @Argument(
        help: ArgumentHelp(
            "A name of mumble.toml, or mumble://USER@HOST[:PORT]/CHANNEL[/SUBCHANNEL].",
            discussion: """
                Without it, the last one. Where an address has no channel, the server chooses. The password \
                of an address is in the environment variable PTT_MUMBLE_PASSWORD.
                """
        ),
        // A start says what is wrong with the file.
        completion: .custom { _, _, _ in (try? UserFiles.channelList().names) ?? [] }
    )
    var channel: String?

    func run() {
        // Without an asynchronous main function, whose jobs would run on Swift's thread pool.
        let program = self
        _ = MainQueue.start { Self.exit(withError: await program.end()) }
        // Unlike dispatchMain, which has the main queue run by threads of libdispatch that come and go.
        RunLoop.main.run()
    }

    /// - Returns: The exit status, or the error, with which the program ends.
    @MainActor
    private func end() async -> any Error {
        do {
            return ExitCode(try await status())
        } catch {
            return error
        }
    }

    @MainActor
    private func status() async throws -> Int32 {
        // The manager calls its delegate on this queue. On the main queue, all of this application runs on
        // the main actor.
        PTChannelManager.pttCallbackQueue = .main
        let password = ProcessInfo.processInfo.environment["PTT_MUMBLE_PASSWORD"]
        if check {
            return await Examination.run(destination, password: password) ? EXIT_SUCCESS : EXIT_FAILURE
        }
        let radio: Radio
        do {
            radio = try Radio(try destination(), password: password)
        } catch let error as ValidationError {
            throw error
        } catch {
            Output.error(error.localizedDescription)
            return EXIT_FAILURE
        }
        // What ends all programs, as at the end of a session, ends this one too. The channel stays joined.
        signal(SIGINT, SIG_IGN)
        let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)
        interrupt.setEventHandler { MainActor.assumeIsolated { radio.leave() } }
        interrupt.resume()
        await radio.start()
        let status = await radio.end()
        withExtendedLifetime(interrupt) {}
        return status
    }

    private func destination() throws -> Destination {
        let file = UserFiles.channels.path
        guard let text = try channel ?? UserFiles.read(UserFiles.lastChannel) else {
            throw ValidationError("which channel? Write mumble://USER@HOST/CHANNEL, or a name of \(file)")
        }
        if text.contains("://") {
            do {
                return Destination(text: text, address: try ServerAddress(text))
            } catch {
                throw ValidationError("\(error)")
            }
        }
        let list = try UserFiles.channelList()
        guard let destination = list.destination(text) else {
            let names = list.names.isEmpty ? "" : "; it has \(list.names.joined(separator: ", "))"
            throw ValidationError("\(file) has no channel \(text)\(names)")
        }
        return destination
    }
}
