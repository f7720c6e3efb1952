import Foundation
import Testing

/// With `PTT_RECORD` in the environment the transition tables and the scenario files are written anew, and the tests
/// that do so fail: what was recorded is to be read before it is kept.
enum Recording {
    static let isWanted = ProcessInfo.processInfo.environment["PTT_RECORD"] != nil

    static func write(_ lines: [String], to folder: String, _ name: String) throws {
        let place = URL(filePath: #filePath).deletingLastPathComponent().appending(path: folder)
        let text = lines.joined(separator: "\n") + "\n"
        try text.write(to: place.appending(path: name), atomically: true, encoding: .utf8)
        Issue.record("\(folder)/\(name) was written anew: read the difference")
    }
}
