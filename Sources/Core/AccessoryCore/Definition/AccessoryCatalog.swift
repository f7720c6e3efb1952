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
    package struct Problem: Hashable, Sendable {
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
        entries.map { Explanation(entry: $0, result: $0.definition.matches(device)) }.sorted {
            Self.isBetter(($0.entry, $0.result.specificity), ($1.entry, $1.result.specificity))
        }
    }

    /// The files that match, the best first.
    package func ranked(for device: DeviceDescription) -> [AccessoryDefinition] {
        let matching = entries.compactMap { entry in
            entry.definition.specificity(for: device).map { (entry, Optional($0)) }
        }
        return matching.sorted(by: Self.isBetter).map(\.0.definition)
    }

    package func hasMatch(for device: DeviceDescription) -> Bool {
        entries.contains { $0.definition.specificity(for: device) != nil }
    }

    private static func isBetter(
        _ left: (entry: Entry, specificity: MatchSpecificity?),
        _ right: (entry: Entry, specificity: MatchSpecificity?)
    ) -> Bool {
        let (first, second) = (left.specificity?.rawValue ?? -1, right.specificity?.rawValue ?? -1)
        if first != second { return first > second }
        if left.entry.folder != right.entry.folder { return left.entry.folder > right.entry.folder }
        return left.entry.definition.identifier < right.entry.definition.identifier
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
