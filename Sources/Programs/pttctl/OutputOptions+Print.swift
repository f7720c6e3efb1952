import CommandLineTool

extension OutputOptions {
    /// Prints an update as JSON, or the state that it begins with and its event.
    func show(_ update: some Encodable, at time: Int, state: [String]? = nil, event: String?) {
        if json { return Terminal.print(update) }
        for line in state ?? [] { Terminal.print(line) }
        if let event { Terminal.print("\(Wording.time(time))  \(event)") }
    }

    /// Prints a reply as JSON, or this line.
    func print(_ reply: some Encodable, or line: String) {
        if json { Terminal.print(reply) } else { Terminal.print(line) }
    }
}
