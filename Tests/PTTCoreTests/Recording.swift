import Foundation
import Testing

/// With `PTT_RECORD` in the environment, `swift test --filter TransitionTests` writes the transition tables,
/// and `swift test --filter ScenarioTests` the effects in the scenario files, as they are now. A test whose
/// file changes by this fails: `git diff` shows what is to be read before it is kept.
enum Recording {
    static let isWanted = ProcessInfo.processInfo.environment["PTT_RECORD"] != nil

    static func write(_ lines: [String], to folder: String, _ name: String) throws {
        let place = URL(filePath: #filePath).deletingLastPathComponent().appending(path: folder)
            .appending(path: name)
        let text = lines.joined(separator: "\n") + "\n"
        // There is no file for what is new.
        let earlier = try? String(contentsOf: place, encoding: .utf8)
        guard earlier != text else { return }
        try text.write(to: place, atomically: true, encoding: .utf8)
        Issue.record("\(folder)/\(name) was recorded: read the difference")
    }
}
