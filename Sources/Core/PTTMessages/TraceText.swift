extension String {
    /// The text in quotation marks for a line of a trace, without line breaks and control characters, so that a name
    /// from outside cannot forge a line.
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
