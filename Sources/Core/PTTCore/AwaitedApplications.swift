import PTTMessages

/// The applications that the core told to start and that have not attached since: nobody has seen them, however late
/// they come, and whatever became of the channel meanwhile.
struct AwaitedApplications: Equatable, Sendable {
    /// Many more than a person has applications for this; the oldest is dropped beyond it.
    static let limit = 16

    private(set) var applications: [ApplicationID] = []

    mutating func add(_ application: ApplicationID) {
        remove(application)
        applications.append(application)
        applications.removeFirst(max(0, applications.count - Self.limit))
    }

    mutating func remove(_ application: ApplicationID) {
        applications.removeAll { $0 == application }
    }
}
