import EventLoop
import PTTMessages

/// Lines on standard error for the developer of the application.
enum Diagnostics {
    /// Drops the line if it cannot be written now: no text is worth the thread that waits for it.
    static func note(_ text: String) {
        LineOutput.standardError.write("PushToTalk: \(text.escaped)\n") {
            "PushToTalk: \($0) lines were dropped because nothing read them\n"
        }
    }
}
