package import EventLoop
import Foundation

/// The texts of the programs in another language, made as `make build` makes them. They are there as long as
/// this is.
@EventLoop
package final class Catalogue {
    private let scratch: Scratch
    private let language: String

    /// - Throws: If `po` has no such language, or it cannot be made.
    package init(_ language: String) async throws {
        self.language = language
        scratch = try Scratch()
        let source = URL(filePath: #filePath).appending(path: "../../../po/\(language).po").standardized
        let folder = "\(scratch.directory)/\(language)/LC_MESSAGES"
        let script = #"""
            mkdir -p "$1" && msgfmt --check-format -o "$1/push-to-talk.mo" "$2" && cp -r /usr/lib/locale/C.utf8 "$3"
            """#
        let making = try TestProcess(
            ["sh", "-c", script, "sh", folder, source.path, "\(scratch.directory)/\(Self.locale)"]
        )
        let status = try await making.exitStatus()
        guard status == 0 else {
            throw NotUsable(description: "no catalogue of \(language): msgfmt or C.utf8 is missing")
        }
    }

    /// C.UTF-8 by another name: since glibc 2.39 `LANGUAGE` has no effect in C.UTF-8.
    private static let locale = "xx_XX.utf8"

    /// For a program that is to speak it.
    package var environment: [String: String?] {
        let directory = scratch.directory
        return [
            "LC_ALL": Self.locale, "LOCPATH": directory, "LANGUAGE": language, "TEXTDOMAINDIR": directory,
        ]
    }
}
