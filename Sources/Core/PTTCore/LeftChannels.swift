import PTTMessages

/// The channels that were left while their applications were not attached, until those are notified.
struct LeftChannels: Equatable, Sendable {
    private struct Entry: Equatable, Sendable {
        let application: ApplicationID
        let left: ApplicationInterface.Left
    }

    /// Far more than one person's applications for push-to-talk; beyond it the oldest is dropped.
    static let limit = 16

    private var entries = BoundedSet<Entry>(limit: limit)

    mutating func insert(_ left: ApplicationInterface.Left, of application: ApplicationID) {
        remove(application)
        entries.insert(Entry(application: application, left: left))
    }

    mutating func remove(_ application: ApplicationID) {
        entries.remove { $0.application == application }
    }

    /// Removes what is stored for an application and returns it.
    mutating func take(_ application: ApplicationID) -> ApplicationInterface.Left? {
        defer { remove(application) }
        return entries.elements.first { $0.application == application }?.left
    }
}
