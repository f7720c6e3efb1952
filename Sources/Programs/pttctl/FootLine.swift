import CommandLineTool
import EventLoop
import Glibc

/// The last line of a terminal, below what is printed.
///
/// No mode of the terminal is changed: a process that is killed leaves nothing to restore but the text of
/// this line.
@EventLoop
final class FootLine {
    private let content: @EventLoop (_ columns: Int) -> String
    private var text = ""
    private var columns: Int
    private var resizing: SignalSource?

    /// True if standard output is a terminal that can rewrite a line.
    static var isPossible: Bool {
        isatty(STDOUT_FILENO) == 1 && Environment.variable("TERM").map { $0 != "dumb" } ?? false
    }

    /// - Parameter content: The text for a terminal of this width, and no wider; called after each
    ///   ``update()`` and when the window has another size.
    /// - Throws: If changes of the window's size cannot be watched.
    init(_ content: @escaping @EventLoop (_ columns: Int) -> String) throws(SystemError) {
        self.content = content
        columns = Self.windowColumns
        resizing = try SignalSource(SIGWINCH) { [weak self] in self?.resized() }
    }

    /// Writes the line again if it has changed, and the terminal has shown what was written before.
    func update() {
        guard !Terminal.isWaiting else { return }
        let text = content(columns)
        if text != self.text { show(text, after: .clearLine) }
    }

    /// Removes it, with what the terminal shows of a Ctrl-C.
    func close() {
        resizing = nil
        Terminal.showFoot(nil)
    }

    private func resized() {
        let width = TerminalText.columns(text)
        columns = Self.windowColumns
        // Terminals that are made narrower break the line into several, and the cursor is in the last of
        // them.
        let above = max(0, width - 1) / max(1, columns)
        show(content(columns), after: .clearBelow(linesAbove: above))
    }

    private func show(_ text: String, after erase: Terminal.Part) {
        self.text = text
        Terminal.showFoot(text, after: erase)
    }

    private static var windowColumns: Int { TerminalWindow.columns(of: STDOUT_FILENO) ?? 80 }
}
