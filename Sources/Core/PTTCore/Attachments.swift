import PTTMessages

/// The attached applications, by their connections. They determine which application has the channel.
typealias Attachments = [ClientID: ApplicationProcess]

extension Attachments {
    /// The newest attachment of an application, or of one of its processes.
    func newest(of application: ApplicationID, in processID: Int? = nil) -> (
        client: ClientID, process: ApplicationProcess
    )? {
        filter { client, process in
            process.owner.identifier == application && process.processID == processID ?? process.processID
        }
        .max { $0.key.rawValue < $1.key.rawValue }
        .map { ($0.key, $0.value) }
    }
}
