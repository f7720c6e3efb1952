import Testing

/// The declarations of an interface file, between which there are empty lines.
struct InterfaceFile {
    /// The members or the values of each type, as they are written: `(rate: int, channels: int)`.
    private(set) var types: [Substring: String] = [:]
    private(set) var errors: [Substring: String] = [:]
    private(set) var methods: [Substring: (parameters: String, reply: String)] = [:]
    /// Each type with its comment.
    private(set) var texts: [Substring: Substring] = [:]

    init(_ description: String) throws {
        let declaration = #/(type|error|method) (\w+) ?(\([^()]*\))(?: -> (\([^()]*\)))?/#
        for text in description.split(separator: "\n\n") {
            let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
            let code = lines.joined(separator: " ").replacing(#/ +/#, with: " ")
            if code.isEmpty || code.hasPrefix("interface ") { continue }
            let match = try #require(code.wholeMatch(of: declaration), "\(code)")
            let (_, kind, name, members, reply) = match.output
            switch kind {
            case "type":
                types[name] = String(members)
                texts[name] = text
            case "error": errors[name] = String(members)
            default: methods[name] = (String(members), String(try #require(reply)))
            }
        }
    }

    /// The types of members that are written so, by name and in the form of ``MessageMembers``.
    func members(_ text: String) throws -> [String: String] {
        var members: [String: String] = [:]
        for member in text.matches(of: #/(\w+): ([?\[\]]*)(\w+)/#) {
            let (_, name, prefix, type) = member.output
            let isRole = name == "role" && prefix.isEmpty
            members[String(name)] = (isRole ? "?" : prefix) + (try expanded(type))
        }
        return members
    }

    private func expanded(_ type: Substring) throws -> String {
        if ["string", "int", "bool", "float"].contains(type) { return String(type) }
        let text = try #require(types[type], "\(type)")
        // Its members depend on a value.
        if text.hasPrefix("(kind: string,") || type == "VirtualMicrophone" { return String(type) }
        return text.contains(":") ? MessageMembers.text(try members(text)) : text
    }
}
