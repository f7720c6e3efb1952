import Foundation
import Testing

/// The rules of `Documentation/Semantics.md`, which comments and scenarios cite by their headings.
struct CitationTests {
    private static let top = URL(filePath: #filePath).appending(path: "../../..").standardized

    /// The comments of each file, as one line: a citation may go on in the next.
    private static func comments() throws -> [String: String] {
        var comments: [String: String] = [:]
        for folder in ["Sources", "Tests"] {
            let paths = try FileManager.default.subpathsOfDirectory(atPath: top.appending(path: folder).path)
            for path in paths where path.hasSuffix(".swift") || path.hasSuffix(".txt") {
                let file = "\(folder)/\(path)"
                let text = try String(contentsOf: top.appending(path: file), encoding: .utf8)
                let lines = text.split(separator: "\n").compactMap { comment($0) }
                comments[file] = lines.joined(separator: " ")
            }
        }
        return comments
    }

    /// The text of the line, if it is a comment.
    private static func comment(_ line: Substring) -> String? {
        let text = line.drop { $0 == " " }
        let marker = ["/// ", "// ", "# "].first { text.hasPrefix($0) }
        return marker.map { String(text.dropFirst($0.count)) }
    }

    @Test func `every rule that a comment cites is a heading, and none is cited by a number`() throws {
        let page = Self.top.appending(path: "Documentation/Semantics.md")
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
        let rules = lines.filter { $0.hasPrefix("### ") }.map { String($0.dropFirst(4)) }
        #expect(Set(rules).count == rules.count)
        var cited: Set<String> = []
        for (file, text) in try Self.comments() {
            for citation in text.matches(of: /Semantics((?:, “[^”]+”)+)/) {
                let names = citation.1.matches(of: /“([^”]+)”/).map { String($0.1) }
                cited.formUnion(names)
                #expect(names.filter { !rules.contains($0) } == [], "\(file)")
            }
            let numbers = text.matches(of: /\b(?:[Rr]ows?|[Pp]roofs?|Semantics) [0-9]+/)
            #expect(numbers.map { String($0.output) } == [], "\(file)")
        }
        #expect(!cited.isEmpty)
    }
}
