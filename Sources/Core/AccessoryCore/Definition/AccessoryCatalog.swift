/// The accessory files that count, and those that cannot be used.
package struct AccessoryCatalog: Equatable, Sendable {
    package struct Entry: Equatable, Sendable {
        package let definition: AccessoryDefinition
        package let path: String
        /// The number of its folder: files of a later one count before others that match equally well.
        package let folder: Int

        package init(_ definition: AccessoryDefinition, path: String, folder: Int) {
            self.definition = definition
            self.path = path
            self.folder = folder
        }
    }

    /// A file that is not used.
    package struct Problem: Hashable, Encodable, Sendable {
        package let path: String
        /// With line and column, if they are known.
        package let reason: String

        package init(path: String, reason: String) {
            self.path = path
            self.reason = reason
        }
    }

    /// An entry, and how it compares with a device.
    package struct Explanation: Equatable, Sendable {
        package let entry: Entry
        package let result: MatchResult
    }

    /// By identifier.
    package let entries: [Entry]
    package let problems: [Problem]

    package init(_ entries: [Entry], problems: [Problem] = []) {
        self.entries = entries.sorted { $0.definition.identifier < $1.definition.identifier }
        self.problems = problems
    }

    package subscript(identifier: String) -> AccessoryDefinition? {
        entries.first { $0.definition.identifier == identifier }?.definition
    }

    /// All files and their reasons, those that match first, and of these the best one.
    package func explanations(for device: DeviceDescription) -> [Explanation] {
        entries.map { Explanation(entry: $0, result: $0.definition.matches(device)) }
            .sorted { $0.isBetter(than: $1) }
    }

    /// The files that match, the best first.
    package func ranked(for device: DeviceDescription) -> [AccessoryDefinition] {
        explanations(for: device).filter { $0.result.specificity != nil }.map(\.entry.definition)
    }

    /// The file that a name suggests while the services of a device are unknown.
    package func hinted(byName name: String) -> AccessoryDefinition? {
        entries.map(\.definition).first { definition in
            let patterns = definition.match.names + definition.match.hints
            return patterns.contains { namePattern($0, matches: name) }
                && !definition.match.excludedNames.contains { namePattern($0, matches: name) }
        }
    }
}

extension AccessoryCatalog.Explanation {
    fileprivate func isBetter(than other: Self) -> Bool {
        if result.specificity != other.result.specificity {
            guard let specificity = result.specificity else { return false }
            return other.result.specificity.map { specificity > $0 } ?? true
        }
        if entry.folder != other.entry.folder { return entry.folder > other.entry.folder }
        return entry.definition.identifier < other.entry.definition.identifier
    }
}
