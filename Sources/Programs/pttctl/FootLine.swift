import CommandLineTool
import EventLoop
import Glibc
import PTTMessages
import ServiceClient

/// ``MonitorFoot`` in the last line of a terminal, below what is printed.
///
/// No mode of the terminal is changed: a process that is killed leaves nothing to restore but the text of
/// this line.
@EventLoop
final class FootLine {
    /// A change is shown at once.
    var content = MonitorFoot() { didSet { update() } }

    private let connection: ServiceConnection
    private var levels: ChannelInterface.LevelReport? { didSet { update() } }
    private var text = ""
    private var columns: Int
    private var resizing: SignalSource?
    /// Armed while a duration is shown.
    private lazy var second = TimerSource { [weak self] in self?.update() }

    /// Nil without a terminal that can rewrite a line.
    ///
    /// - Parameter json: Nil for JSON as well, which a further line would spoil.
    /// - Throws: If the core cannot be reached, or changes of the window's size cannot be watched.
    init?(json: Bool) throws {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        guard !json, isTerminal, let terminal = Environment.variable("TERM"), terminal != "dumb" else {
            return nil
        }
        columns = Self.windowColumns
        connection = try ServiceConnection.core()
        resizing = try SignalSource(SIGWINCH) { [weak self] in self?.resized() }
        // The events of the command say that the core is lost.
        connection.subscribe(
            ChannelInterface.subscribeLevels,
            NoParameters(),
            { [weak self] in self?.levels = $0 },
            ended: { _ in }
        )
    }

    /// Removes it, with what the terminal shows of a Ctrl-C.
    func close() {
        second.disarm()
        connection.close()
        resizing = nil
        Terminal.showFoot(nil)
    }

    /// Writes the line again if it has changed, and the terminal has shown what was written before.
    private func update() {
        if content.isCounting { second.arm(after: .seconds(1)) } else { second.disarm() }
        guard !Terminal.isWaiting else { return }
        let line = line
        if line != text { show(line, after: .clearLine) }
    }

    private func resized() {
        let width = TerminalText.columns(text)
        columns = Self.windowColumns
        // Terminals that are made narrower break the line into several, and the cursor is in the last of
        // them.
        let above = max(0, width - 1) / max(1, columns)
        show(line, after: .clearBelow(linesAbove: above))
    }

    private func show(_ text: String, after erase: Terminal.Part) {
        self.text = text
        Terminal.showFoot(text, after: erase)
    }

    private var line: String {
        content.line(columns: columns, at: MonotonicTime.now.microseconds, levels)
    }

    private static var windowColumns: Int { TerminalWindow.columns(of: STDOUT_FILENO) ?? 80 }
}
