package import PTTMessages

/// The applications that may join a channel at this time of the week. The empty policy forbids nothing.
package struct Policy: Equatable, Codable, Sendable {
    /// The only applications that may join; nil: all. The command line joins as ``commandLine``.
    package var allowed: [ApplicationID]?
    /// Applications that may not join.
    package var denied: [ApplicationID]
    /// Applications that may not even attach.
    package var excluded: [ApplicationID]
    /// True if a time window is open in which no application may join.
    package var isClosed: Bool
    /// Why no application may join: there is a policy, and it cannot be read. Text for people; nil if it can.
    package var unusable: String?

    /// The identifier of a channel without an application.
    package static let commandLine = ApplicationID(rawValue: "pttctl")

    /// The identifier of presses into the Push-to-Talk Microphone, while no channel is joined.
    package static let virtualMicrophone = ApplicationID(rawValue: "push-to-talk-microphone")

    /// The identifier of recordings.
    package static let recording = ApplicationID(rawValue: "recording")

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

    /// Why an application may not join; nil if it may.
    func restriction(of application: ApplicationID) -> RefusalCause? {
        if let unusable { return .unusablePolicy(reason: unusable) }
        let isAllowed = allowed?.contains(application) ?? true
        if !isAllowed || denied.contains(application) || excluded.contains(application) {
            return .forbidden(application)
        }
        return isClosed ? .closed : nil
    }
}
