import PTTMessages

/// The channels that were left while their applications were away, until those are told.
struct LeftChannels: Equatable, Sendable {
    private struct Entry: Equatable, Sendable {
        let application: ApplicationID
        let left: ApplicationInterface.Left
    }

    /// Many more than a person has applications for this; the oldest is dropped beyond it.
    static let limit = 16

    private var entries = Newest<Entry>(limit: limit)

    mutating func remember(_ left: ApplicationInterface.Left, of application: ApplicationID) {
        forget(application)
        entries.insert(Entry(application: application, left: left))
    }

    mutating func forget(_ application: ApplicationID) {
        entries.remove { $0.application == application }
    }

    mutating func take(_ application: ApplicationID) -> ApplicationInterface.Left? {
        defer { forget(application) }
        return entries.elements.first { $0.application == application }?.left
    }
}
