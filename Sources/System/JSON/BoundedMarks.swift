extension String {
    /// This text with at most 30 consecutive combining marks.
    ///
    /// Bluetooth devices, plugged devices and programs choose their own names. No language needs more
    /// consecutive marks (Stream-Safe Text Format, UAX #15 section 13), and the JSON decoder of a peer
    /// refuses text that has more.
    package var withBoundedMarks: String {
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
