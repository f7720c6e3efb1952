extension String {
    /// The text in quotation marks for a line of a trace, with a question mark for what is not printable, so
    /// that a name from outside cannot forge a line.
    package var traced: String {
        var result = "\""
        for scalar in escaped({ _ in "?" }).unicodeScalars {
            if scalar == "\"" || scalar == "\\" { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }
}
