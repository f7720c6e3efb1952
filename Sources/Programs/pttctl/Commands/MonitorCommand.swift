import ArgumentParser
import EventLoop
import PTTMessages
import ServiceClient

struct MonitorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor",
        abstract: "Show what happens, one line per event, until stopped.",
        discussion: "The time in front of each line is in seconds of the machine's monotonic clock."
    )

    @Option(name: .customLong("for"), help: "Stop after this time, 30s for example.")
    var limit: TimeSpan?

    @OptionGroup var output: OutputOptions

    func run() throws {
        let (json, limit) = (output.json, limit)
        try onLoop {
            let monitor = Monitor(json: json, stop: try StopSignal(after: limit?.duration))
            try await monitor.run()
        }
    }
}

/// Prints what both daemons tell.
@EventLoop
private final class Monitor {
    private let json: Bool
    private let stop: StopSignal
    private var failure: ServiceError?

    init(json: Bool, stop: StopSignal) {
        self.json = json
        self.stop = stop
    }

    func run() async throws {
        let core = try ServiceConnection.core()
        core.subscribe({ [self] in show(core: $0) }, ended: { [self] in end($0) })
        let accessoryd = watchAccessoryd()
        await stop.wait()
        core.close()
        accessoryd?.close()
        if let failure { throw failure }
    }

    /// The core alone is worth watching: ptt-accessoryd may not be installed.
    private func watchAccessoryd() -> ServiceConnection? {
        do throws(ServiceError) {
            let accessoryd = try ServiceConnection.accessory()
            accessoryd.subscribe(
                { [self] in show(accessoryd: $0) },
                ended: { Terminal.complain("buttons are not shown any more: \($0)") }
            )
            return accessoryd
        } catch {
            Terminal.complain("buttons are not shown: \(error)")
            return nil
        }
    }

    private func show(core update: ChannelInterface.Update) {
        if json { return print(update) }
        if let status = update.status { Terminal.say(Wording.line(status)) }
        if let event = update.event { Terminal.say("\(Wording.time(update.time))  \(Wording.line(event))") }
    }

    private func show(accessoryd update: AccessoryInterface.Update) {
        if json { return print(update) }
        for device in update.devices ?? [] { Terminal.say(Wording.row("device", Wording.line(device))) }
        if let event = update.event { Terminal.say("\(Wording.time(update.time))  \(Wording.line(event))") }
    }

    private func print(_ value: some Encodable) {
        do {
            try Terminal.say(value)
        } catch {
            Terminal.complain("\(error)")
        }
    }

    private func end(_ error: ServiceError) {
        failure = error
        stop.trigger()
    }
}
