package import JSON

/// A call that is made repeatedly, encoded once.
package struct PreparedCall: Sendable {
    /// With its interface.
    let method: String
    /// With its NUL byte.
    let bytes: [UInt8]

    /// - Parameters:
    ///   - method: With its interface.
    ///   - parameters: Those that the interface declares.
    package init(_ method: String, _ parameters: JSONObject) {
        self.method = method
        var bytes: [UInt8] = []
        CallMessage(method: method, parameters: parameters).json.write(to: &bytes)
        bytes.append(0)
        self.bytes = bytes
    }
}

/// A reply to many calls, encoded once.
package struct PreparedReply: Sendable {
    let continues: Bool
    /// With its NUL byte.
    package let bytes: [UInt8]

    /// As in ``VarlinkCall/reply(_:continues:)``.
    package init(_ parameters: JSONObject, continues: Bool) {
        self.continues = continues
        var bytes: [UInt8] = []
        ReplyMessage(.success(parameters), continues: continues).json.write(to: &bytes)
        bytes.append(0)
        self.bytes = bytes
    }

    /// The same for parameters that are written member by member, at least one.
    package init(continues: Bool, parameters: (inout JSONObjectText) -> Void) {
        self.continues = continues
        let message = JSONObjectText.bytes { message in
            message.add("parameters", parameters)
            if continues { message.add("continues", true) }
        }
        bytes = message + [0]
    }
}
