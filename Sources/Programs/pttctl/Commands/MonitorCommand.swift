import AccessoryCore
import AccessoryFiles
import ArgumentParser
import CommandLineTool
import EventLoop
import Invocation
import PTTMessages
import ServiceClient

struct MonitorCommand: LoopCommand {
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

    /// Prints the events of all daemons.
    func perform() async throws {
        let stop = try StopSignal(after: limit?.duration)
        let core = try ServiceConnection.core()
        let foot = try FootLine(json: output.json)
        core.subscribe(
            { (update: ChannelInterface.Update) in
                let state = update.status.map { Wording.lines($0) }
                let event = update.event.map { Wording.line($0) }
                output.show(update, at: update.time, state: state, event: event)
                foot?.content.apply(update)
            },
            ended: { stop.trigger($0) }
        )
        // Optional, because ptt-accessoryd may not be installed.
        let accessoryd = connection(Text("buttons are not shown"), ServiceConnection.accessory)
        accessoryd?.follow(
            AccessoryInterface.subscribe,
            { update in
                let state = update.devices?.map { Wording.row(localized("device"), Wording.line($0)) }
                let event = update.event.map { Wording.line($0) }
                output.show(update, at: update.time, state: state, event: event)
                foot?.content.apply(update)
            },
            ended: { error in
                Terminal.printError(localized("buttons are no longer shown: \(error.text)"))
                foot?.content.forgetDevices()
            }
        )
        // Where no button has an action, ptt-actions need not run.
        let hasActions = !ActionFileWatch().list.actions.isEmpty
        let actions = hasActions ? connection(Text("actions are not shown"), ServiceConnection.actions) : nil
        actions?.follow(
            ActionInterface.subscribe,
            { update in
                output.show(update, at: update.time, event: update.event.map { Wording.line($0) })
            },
            ended: { Terminal.printError(localized("actions are no longer shown: \($0.text)")) }
        )
        await stop.wait()
        foot?.close()
        core.close()
        accessoryd?.close()
        actions?.close()
        if let failure = stop.failure { throw failure }
    }

    /// Nil, and the failure is printed with its reason, if the daemon cannot be reached.
    @EventLoop
    private func connection(
        _ failure: Text,
        _ connect: @EventLoop () throws(ServiceError) -> ServiceConnection
    ) -> ServiceConnection? {
        do throws(ServiceError) {
            return try connect()
        } catch {
            Terminal.printError(localized("\(failure): \(error.text)"))
            return nil
        }
    }
}
