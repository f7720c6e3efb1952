import CommandLineTool
import EventLoop
import Glibc
import PTTMessages
import ServiceClient

/// The last line of a terminal, below what is printed, which shows the levels of microphone and speaker.
///
/// No mode of the terminal is changed: a process that is killed leaves nothing to restore but the text of
/// this line.
@EventLoop
final class FootLine {
    typealias Content = @EventLoop (_ columns: Int, _ levels: ChannelInterface.LevelReport?) -> String

    private let content: Content
    private let connection: ServiceConnection
    private var levels: ChannelInterface.LevelReport?
    private var text = ""
    private var columns: Int
    private var resizing: SignalSource?

    /// Nil without a terminal that can rewrite a line.
    ///
    /// - Parameters:
    ///   - json: Nil for JSON as well, which a further line would spoil.
    ///   - content: The text for a terminal of this width, and no wider; called for each ``update()`` and
    ///     each report of the levels, and when the window has another size.
    /// - Throws: If the core cannot be reached, or changes of the window's size cannot be watched.
    init?(json: Bool, _ content: @escaping Content) throws {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        guard !json, isTerminal, let terminal = Environment.variable("TERM"), terminal != "dumb" else {
            return nil
        }
        self.content = content
        columns = Self.windowColumns
        connection = try ServiceConnection.core()
        resizing = try SignalSource(SIGWINCH) { [weak self] in self?.resized() }
        // The events of the command say that the core is lost.
        connection.subscribe(
            ChannelInterface.subscribeLevels,
            NoParameters(),
            { [weak self] in self?.show($0) },
            ended: { _ in }
        )
    }

    /// The levels alone.
    static func levels(json: Bool) throws -> FootLine? {
        try FootLine(json: json) { columns, levels in
            TerminalText.line([levels.map(Wording.line) ?? ""], columns: columns - 1)
        }
    }

    /// Writes the line again if it has changed, and the terminal has shown what was written before.
    func update() {
        guard !Terminal.isWaiting else { return }
        let text = content(columns, levels)
        if text != self.text { show(text, after: .clearLine) }
    }

    /// Removes it, with what the terminal shows of a Ctrl-C.
    func close() {
        connection.close()
        resizing = nil
        Terminal.showFoot(nil)
    }

    private func show(_ levels: ChannelInterface.LevelReport) {
        self.levels = levels
        update()
    }

    private func resized() {
        let width = TerminalText.columns(text)
        columns = Self.windowColumns
        // Terminals that are made narrower break the line into several, and the cursor is in the last of
        // them.
        let above = max(0, width - 1) / max(1, columns)
        show(content(columns, levels), after: .clearBelow(linesAbove: above))
    }

    private func show(_ text: String, after erase: Terminal.Part) {
        self.text = text
        Terminal.showFoot(text, after: erase)
    }

    private static var windowColumns: Int { TerminalWindow.columns(of: STDOUT_FILENO) ?? 80 }
}
