package import AccessoryCore
import EventLoop
import JSON
import PTTMessages
package import TOML

/// The text of `devices.toml` while it is edited. Everything that an edit is not about stays as people have
/// written it: comments, other entries, and also unusable ones.
package struct EnrolmentText: Sendable {
    /// An edit that would change more than it should, or not have its effect.
    package struct Failure: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    package private(set) var text: String

    /// - Parameter text: Empty for a new file.
    /// - Throws: If it is not TOML. A file that cannot be read is not edited.
    package init(_ text: String) throws(TOMLError) {
        _ = try EnrolmentFile.parse(text)
        self.text = text
    }

    /// The usable entries.
    package var enrolments: [Enrolment] { contents.enrolments }

    private var contents: EnrolmentFile.Contents {
        // The text was parsed before: at the start and at the end of each edit.
        (try? EnrolmentFile.parse(text)) ?? EnrolmentFile.Contents(enrolments: [], problems: [])
    }

    /// Adds an entry, or replaces the one of the same identity.
    package mutating func set(_ enrolment: Enrolment) throws(Failure) {
        var expected = enrolments
        if let index = expected.firstIndex(where: { $0.identity == enrolment.identity }) {
            expected[index] = enrolment
        } else {
            expected.append(enrolment)
        }
        var lines = lines
        let blocks = blocks(of: enrolment.identity)
        if let first = blocks.first {
            for block in blocks.dropFirst().reversed() { lines.removeSubrange(block) }
            let comments = lines[first].dropFirst().filter { $0.drop(while: \.isBlank).first == "#" }
            var entry = enrolment.lines
            entry.insert(contentsOf: comments, at: 1)
            lines.replaceSubrange(first, with: entry)
        } else {
            while lines.last?.isEmpty == true { lines.removeLast() }
            if !lines.isEmpty { lines.append("") }
            lines += enrolment.lines
        }
        try apply(lines, expected: expected)
    }

    /// Removes the entries of an identity, whether they are usable or not.
    ///
    /// - Returns: True if there was one.
    @discardableResult
    package mutating func remove(_ identity: DeviceIdentity) throws(Failure) -> Bool {
        let blocks = blocks(of: identity)
        guard !blocks.isEmpty else { return false }
        var lines = lines
        for block in blocks.reversed() { lines.removeSubrange(block) }
        try apply(lines, expected: enrolments.filter { $0.identity != identity })
        return true
    }

    /// Accepts the new lines if they mean what they should, and nothing else has changed.
    private mutating func apply(_ lines: [Substring], expected: [Enrolment]) throws(Failure) {
        var edited = lines.joined(separator: "\n")
        if !edited.isEmpty, edited.utf8.last != UInt8(ascii: "\n") { edited += "\n" }
        guard expected.count <= EnrolmentFile.countLimit, edited.utf8.count <= EnrolmentFile.sizeLimit else {
            throw Failure(description: "there are too many devices: forget one first")
        }
        let before = contents
        // Text that cannot be parsed is not what was expected either.
        let after = try? EnrolmentFile.parse(edited)
        guard let after, after.enrolments.hasSameEntries(as: expected),
            after.problems.count <= before.problems.count
        else {
            throw Failure(description: "its layout is unusual: edit it in a text editor")
        }
        text = edited
    }

    // MARK: - Lines

    private var lines: [Substring] {
        text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    }

    /// The lines of the entries with an identity, in their order, from `[[device]]` to the last line that is
    /// neither empty nor a comment.
    private func blocks(of identity: DeviceIdentity) -> [Range<Int>] {
        // Valid text, see `contents`.
        guard let document = (try? TOML.parse(text))?.object else { return [] }
        guard case .array(let entries)? = document["device"] else { return [] }
        let entryStarts = entries.indices.map { TOML.place(of: ["device", .index($0)], in: text)?.line ?? 0 }
        let otherStarts = document.members.filter { $0.key != "device" }
            .compactMap { TOML.place(of: [.key($0.key)], in: text)?.line }
        let lines = lines
        var blocks: [Range<Int>] = []
        for (entry, start) in zip(entries, entryStarts) where start > 0 {
            let named = entry.object?["identity"]?.string
            guard named.flatMap({ DeviceIdentity($0) }) == identity else { continue }
            let next = (entryStarts + otherStarts).filter { $0 > start }.min() ?? lines.count + 1
            var end = next - 1
            while end > start, lines[end - 1].drop(while: \.isBlank).isEmptyOrComment { end -= 1 }
            blocks.append((start - 1)..<end)
        }
        return blocks
    }
}

extension [Enrolment] {
    fileprivate func hasSameEntries(as others: [Enrolment]) -> Bool {
        count == others.count && allSatisfy { others.contains($0) }
    }
}

extension Character {
    fileprivate var isBlank: Bool { self == " " || self == "\t" }
}

extension Substring {
    fileprivate var isEmptyOrComment: Bool { isEmpty || first == "#" }
}

extension Enrolment {
    /// Its entry in the file.
    fileprivate var lines: [Substring] {
        var lines = ["[[device]]", "identity = \(identity.text.quotedForTOML)"]
        if let accessory { lines.append("accessory = \(accessory.quotedForTOML)") }
        if let key { lines.append("key = \(Enrolment.keyName(of: key).quotedForTOML)") }
        if let name { lines.append("name = \(name.quotedForTOML)") }
        if let mode { lines.append("mode = \(mode.rawValue.quotedForTOML)") }
        if !roles.isEmpty {
            let pairs = roles.map { "\($0.key.fileText) = \($0.value.fileText.quotedForTOML)" }.sorted()
            lines.append("roles = { \(pairs.joined(separator: ", ")) }")
        }
        if !restorations.isEmpty {
            let tables = restorations.map { restoration in
                let attribute = restoration.attribute
                return "{ service = \(attribute.service.text.quotedForTOML), "
                    + "characteristic = \(attribute.characteristic.text.quotedForTOML), "
                    + "bits = \(restoration.bits.hexadecimal.quotedForTOML) }"
            }
            lines.append("restore = [\(tables.joined(separator: ", "))]")
        }
        if let bindKeyText { lines.append("bind-key = \(bindKeyText.quotedForTOML)") }
        return lines.map { $0[...] }
    }
}

extension EnrolmentFile {
    /// Edits the file, see ``TextFile/edit(_:limit:_:)``.
    ///
    /// - Throws: With the path and what is wrong with the file, if it cannot be edited.
    package static func edit(_ path: String, _ change: (inout EnrolmentText) throws -> Void) throws {
        try TextFile.edit(path, limit: sizeLimit) { text in
            var edited = try EnrolmentText(text ?? "")
            try change(&edited)
            return edited.text
        }
    }
}
