/// Identifies an application over its runs, `org.example.Radio` for example, in policy rules and for
/// restoration.
package struct ApplicationID: RawRepresentable, Hashable, Codable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static func == (left: ApplicationID, right: ApplicationID) -> Bool {
        left.rawValue.hasSameBytes(as: right.rawValue)
    }

    package func hash(into hasher: inout Hasher) { rawValue.hashBytes(into: &hasher) }
}

/// A running application that holds the channel and receives its audio.
package struct Application: Equatable, Codable, Sendable {
    package let name: String
    /// For display only.
    package let processID: Int

    package init(name: String, processID: Int) {
        self.name = name
        self.processID = processID
    }
}

/// The way in which an application is started when a press or a push needs it and it does not run.
package struct Activation: Hashable, Codable, Sendable {
    package enum Kind: String, WireEnum {
        case unknown
        /// `name` is a unit of the user's service manager, `radio.service`.
        case systemdUnit
        /// `name` is a well-known name on the session bus that a `.service` file activates,
        /// `org.example.Radio`.
        case busName
    }

    package let kind: Kind
    package let name: String

    package init(kind: Kind, name: String) {
        self.kind = kind
        self.name = name
    }
}

/// Numbers a call of an application, which chooses the number: the event that reports its result has the same
/// one.
package struct CallID: RawRepresentable, Hashable, Codable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }
}
