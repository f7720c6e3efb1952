import JSON

/// A message as it is sent.
enum OutgoingMessage {
    /// `method` with its interface.
    case call(method: String, JSONText, isMore: Bool = false, isOneway: Bool = false)
    case reply(JSONText, continues: Bool)
    case error(VarlinkError)

    /// Appends the message with its NUL byte. In a call, keys with their default values are left out: some
    /// services compare whole messages.
    func write(to bytes: inout [UInt8]) {
        switch self {
        case .call(let method, let parameters, let isMore, let isOneway):
            append(#"{"method":"#, to: &bytes)
            JSON.string(method).write(to: &bytes)
            if !parameters.isEmptyObject {
                append(#","parameters":"#, to: &bytes)
                bytes.append(contentsOf: parameters.bytes)
            }
            if isMore { append(#","more":true"#, to: &bytes) }
            if isOneway { append(#","oneway":true"#, to: &bytes) }
        case .reply(let parameters, let continues):
            append(#"{"parameters":"#, to: &bytes)
            bytes.append(contentsOf: parameters.bytes)
            if continues { append(#","continues":true"#, to: &bytes) }
        case .error(let error):
            append(#"{"error":"#, to: &bytes)
            JSON.string(error.name).write(to: &bytes)
            if !error.parameters.isEmpty {
                append(#","parameters":"#, to: &bytes)
                error.parameters.write(to: &bytes)
            }
        }
        append("}\0", to: &bytes)
    }

    private func append(_ text: StaticString, to bytes: inout [UInt8]) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }
}
