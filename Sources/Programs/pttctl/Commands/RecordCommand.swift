import ArgumentParser
import CommandLineTool
import EventLoop
import PTTMessages
import ServiceClient
import WAV

struct RecordCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract:
            "Act as an application: join a channel, and record the audio of all transmissions to a file.",
        discussion: """
            Attaches to the joined channel if it has no application; otherwise joins a new one, and leaves it at the end. \
            Nothing is recorded between transmissions.
            """
    )

    @Argument(help: "The WAV file to write.")
    var file: String

    @Option(help: "The name of a newly joined channel.")
    var name = "Push to Talk"

    @Option(name: .customLong("for"), help: "Stop after this time, for example 30s.")
    var limit: TimeSpan?

    @Flag(help: "Stop after the first transmission.")
    var once = false

    @OptionGroup var output: OutputOptions

    func perform() async throws {
        let stop = try StopSignal(after: limit?.duration)
        let core = try ServiceConnection.core()
        core.onClose = { stop.trigger($0) }
        let orphan = try await core.status().channel
        let joined = try await core.join(
            ChannelInterface.JoinRequest(
                channelID: orphan?.channelID,
                name: orphan?.name ?? name,
                application: "pttctl record"
            )
        )
        do { try await record(joined, until: stop) } catch { stop.trigger(error) }
        // Whatever has failed: the channel would keep the buttons, and nobody would hear it.
        if orphan == nil {
            do { try await core.leave(joined.channelID) } catch { stop.trigger(error) }
        }
        core.onClose = nil
        core.close()
        if let failure = stop.failure { throw failure }
    }

    @EventLoop
    private func record(_ joined: ChannelInterface.JoinReply, until stop: StopSignal) async throws {
        guard let token = joined.token else { throw CommandError("the core gave no audio token") }
        // Not earlier: where nothing is recorded, the file stays as it was.
        let format = AudioFormat.standard
        var recording = try WAVFile(creating: file, rate: format.rate, channels: format.channels)
        var summary = Summary()
        var expected: UInt64 = 0
        let audio = try AudioSocketClient(token: token) { header, samples in
            if header.sequence == 0 { expected = 0 }
            summary.lost += Int(clamping: header.sequence &- expected)
            expected = header.sequence &+ 1
            summary.packets += 1
            summary.firstArrival = summary.firstArrival ?? MonotonicInstant.now.nanoseconds / 1000
            do { try recording.append(samples) } catch { stop.trigger(error) }
        }
        let events = try ServiceConnection.core()
        events.subscribe(
            { (update: ChannelInterface.Update) in
                guard let event = update.event else { return }
                output.show(update, at: update.time, event: Wording.line(event))
                if once, case .audioDeactivated = event { stop.trigger() }
                if case .channelLeft = event { stop.trigger(CommandError("the channel was left")) }
            },
            ended: { stop.trigger($0) }
        )
        let levels = try FootLine(json: output.json)
        await stop.wait()
        levels?.close()
        events.close()
        audio.close()
        try recording.finish()
        summary.seconds = recording.duration / .seconds(1)
        let gaps = summary.lost == 0 ? "" : ", \(summary.lost) packets lost"
        let line = "\(file): \(summary.seconds) s of audio in \(summary.packets) packets\(gaps)"
        output.print(summary, or: line)
    }
}

/// The last line of `--json`.
private struct Summary: Encodable {
    var seconds = 0.0
    var packets = 0
    var lost = 0
    /// The time at which the first packet arrived, in microseconds of the monotonic clock.
    var firstArrival: Int64?
}
