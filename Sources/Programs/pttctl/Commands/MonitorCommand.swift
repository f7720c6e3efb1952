import AccessoryCore
import AccessoryFiles
import ArgumentParser
import CommandLineTool
import EventLoop
import PTTMessages
import ServiceClient

struct MonitorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor",
        abstract: "Show all events, one per line, until stopped.",
        discussion: """
            Each line begins with the time in seconds of the machine's monotonic clock. At a terminal the last line shows \
            the channel, who talks and for how long, the levels of microphone and speaker, and the buttons.
            """
    )

    @Option(name: .customLong("for"), help: "Stop after this time, for example 30s.")
    var limit: TimeSpan?

    @OptionGroup var output: OutputOptions

    func run() throws {
        try runOnLoop {
            let monitor = Monitor(json: output.json, stop: try StopSignal(after: limit?.duration))
            try await monitor.run()
        }
    }
}

/// Prints the events of all daemons.
@EventLoop
private final class Monitor {
    private let json: Bool
    private let stop: StopSignal
    private var foot: FootLine?

    init(json: Bool, stop: StopSignal) {
        self.json = json
        self.stop = stop
    }

    func run() async throws {
        let core = try ServiceConnection.core()
        foot = try FootLine(json: json)
        core.subscribe({ [self] in show(core: $0) }, ended: { [stop] in stop.trigger($0) })
        let accessoryd = watchAccessoryd()
        let actions = watchActions()
        await stop.wait()
        foot?.close()
        core.close()
        accessoryd?.close()
        actions?.close()
        if let failure = stop.failure { throw failure }
    }

    /// Optional, because ptt-accessoryd may not be installed.
    private func watchAccessoryd() -> ServiceConnection? {
        do throws(ServiceError) {
            let accessoryd = try ServiceConnection.accessory()
            accessoryd.subscribe(
                { [self] in show(accessoryd: $0) },
                ended: { [self] error in
                    Terminal.printError("buttons are no longer shown: \(error)")
                    foot?.content.forgetDevices()
                }
            )
            return accessoryd
        } catch {
            Terminal.printError("buttons are not shown: \(error)")
            return nil
        }
    }

    /// Where no button has an action, it need not run.
    private func watchActions() -> ServiceConnection? {
        guard !ActionFileWatch().list.actions.isEmpty else { return nil }
        do throws(ServiceError) {
            let actions = try ServiceConnection.actions()
            actions.subscribe(
                { [self] in show(actions: $0) },
                ended: { Terminal.printError("actions are no longer shown: \($0)") }
            )
            return actions
        } catch {
            Terminal.printError("actions are not shown: \(error)")
            return nil
        }
    }

    private func show(actions update: ActionInterface.Update) {
        if json { return Terminal.print(update) }
        if let event = update.event { Terminal.print("\(Wording.time(update.time))  \(Wording.line(event))") }
    }

    private func show(core update: ChannelInterface.Update) {
        if json { return Terminal.print(update) }
        for line in update.status.map({ Wording.lines($0) }) ?? [] { Terminal.print(line) }
        if let event = update.event { Terminal.print("\(Wording.time(update.time))  \(Wording.line(event))") }
        foot?.content.apply(update)
    }

    private func show(accessoryd update: AccessoryInterface.Update) {
        if json { return Terminal.print(update) }
        for device in update.devices ?? [] { Terminal.print(Wording.row("device", Wording.line(device))) }
        if let event = update.event { Terminal.print("\(Wording.time(update.time))  \(Wording.line(event))") }
        foot?.content.apply(update)
    }
}
