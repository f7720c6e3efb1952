import ArgumentParser
import EventLoop
import PTTMessages
import ServiceClient

struct MonitorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor",
        abstract: "Show all events, one per line, until stopped.",
        discussion: "Each line begins with the time in seconds of the machine's monotonic clock."
    )

    @Option(name: .customLong("for"), help: "Stop after this time, for example 30s.")
    var limit: TimeSpan?

    @OptionGroup var output: OutputOptions

    func run() throws {
        let (json, limit) = (output.json, limit)
        try runOnLoop {
            let monitor = Monitor(json: json, stop: try StopSignal(after: limit?.duration))
            try await monitor.run()
        }
    }
}

/// Prints the events of both daemons.
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

    /// Optional, because ptt-accessoryd may not be installed.
    private func watchAccessoryd() -> ServiceConnection? {
        do throws(ServiceError) {
            let accessoryd = try ServiceConnection.accessory()
            accessoryd.subscribe(
                { [self] in show(accessoryd: $0) },
                ended: { Terminal.printError("buttons are no longer shown: \($0)") }
            )
            return accessoryd
        } catch {
            Terminal.printError("buttons are not shown: \(error)")
            return nil
        }
    }

    private func show(core update: ChannelInterface.Update) {
        if json { return print(update) }
        if let status = update.status { Terminal.print(Wording.line(status)) }
        if let event = update.event { Terminal.print("\(Wording.time(update.time))  \(Wording.line(event))") }
    }

    private func show(accessoryd update: AccessoryInterface.Update) {
        if json { return print(update) }
        for device in update.devices ?? [] { Terminal.print(Wording.row("device", Wording.line(device))) }
        if let event = update.event { Terminal.print("\(Wording.time(update.time))  \(Wording.line(event))") }
    }

    private func print(_ value: some Encodable) {
        do {
            try Terminal.print(value)
        } catch {
            Terminal.printError("\(error)")
        }
    }

    private func end(_ error: ServiceError) {
        failure = error
        stop.trigger()
    }
}
