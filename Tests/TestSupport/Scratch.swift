import EventLoop
import Foundation

/// A directory that is removed after the test.
package final class Scratch: Sendable {
    package let directory: String

    package init() throws {
        var template = Array("/tmp/ptt-scratch-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("make a directory in /tmp") }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        // What cannot be removed stays in /tmp.
        try? FileManager.default.removeItem(atPath: directory)
    }
}
