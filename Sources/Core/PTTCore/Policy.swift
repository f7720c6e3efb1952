package import PTTMessages

/// Who may join a channel, at this time of the week. The empty policy forbids nothing.
package struct Policy: Equatable, Codable, Sendable {
    /// The only applications that may join; nil: all. The command line joins as ``commandLine``.
    package var allowed: [ApplicationID]?
    /// Applications that may not join.
    package var denied: [ApplicationID]
    /// Applications that may not even attach.
    package var excluded: [ApplicationID]
    /// Whether a time window is open in which nobody may join.
    package var isClosed: Bool
    /// Why nobody may join: a policy is there and cannot be read, in words for people; nil: it can.
    package var unusable: String?

    /// What a channel without an application goes by.
    package static let commandLine = ApplicationID(rawValue: "pttctl")

    package init(
        allowed: [ApplicationID]? = nil,
        denied: [ApplicationID] = [],
        excluded: [ApplicationID] = [],
        isClosed: Bool = false,
        unusable: String? = nil
    ) {
        self.allowed = allowed
        self.denied = denied
        self.excluded = excluded
        self.isClosed = isClosed
        self.unusable = unusable
    }
}

/// A push as it came, with what the shell found in it.
package struct PushEnvelope: Equatable, Codable, Sendable {
    package enum Content: Equatable, Codable, Sendable {
        /// - Parameter isServiceUpdate: Whether `aps` has `ptt-push-type` with the value `service-update`.
        case readable(isServiceUpdate: Bool)
        /// It is no JSON object, or holds what no property list can hold.
        case unusable(reason: String)
    }

    package let request: PushInterface.SendRequest
    package let content: Content
    /// Seconds since 1970 when it came.
    package let arrived: Int

    package init(request: PushInterface.SendRequest, content: Content, arrived: Int) {
        self.request = request
        self.content = content
        self.arrived = arrived
    }
}
