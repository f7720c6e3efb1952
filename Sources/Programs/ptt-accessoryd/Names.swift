extension String {
    /// This text as others can read it: of marks in a row the first 30.
    ///
    /// A radio nearby or a plugged device names itself as it likes. No language needs more marks in a row (Stream-Safe Text
    /// Format, UAX #15 section 13), and text with more is refused by whoever is told it.
    var withBoundedMarks: String {
        guard utf8.contains(where: { $0 >= 0xCC }) else { return self }
        var kept = UnicodeScalarView()
        var marks = 0
        for scalar in unicodeScalars {
            marks = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : marks + 1
            if marks <= 30 { kept.append(scalar) }
        }
        return String(kept)
    }
}
