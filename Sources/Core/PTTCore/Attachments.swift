import PTTMessages

/// The applications on the socket, by their connections. Who of them has the channel follows from this.
struct Attachments: Equatable, Sendable {
    private var programs: [ClientID: Attached] = [:]

    subscript(client: ClientID) -> Attached? {
        get { programs[client] }
        set { programs[client] = newValue }
    }

    func isAttached(_ application: ApplicationID) -> Bool {
        programs.values.contains { $0.owner.identifier == application }
    }

    /// The newest attachment of an application, or of one of its processes.
    func newest(of application: ApplicationID, in processID: Int? = nil) -> (
        client: ClientID, program: Attached
    )? {
        programs.filter { client, program in
            program.owner.identifier == application && program.processID == processID ?? program.processID
        }
        .max { $0.key.rawValue < $1.key.rawValue }
        .map { ($0.key, $0.value) }
    }

    /// Whether an application was told this token and has no channel for it yet.
    func holds(_ token: PushToken) -> Bool {
        programs.values.contains { $0.pushToken == token }
    }
}
