extension String {
    /// The text as one word of a trace line: in quotation marks, and without anything that could end the line, so that
    /// no name from outside can forge one.
    package var traced: String {
        var result = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"", "\\":
                result += "\\"
                result.unicodeScalars.append(scalar)
            case _ where Self.lineEnding.contains(scalar.properties.generalCategory):
                result += "?"
            default:
                result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    private static let lineEnding: [Unicode.GeneralCategory] = [
        .control, .lineSeparator, .paragraphSeparator,
    ]
}
