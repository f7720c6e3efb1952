import PTTMessages

/// The channels that were left while their applications were away, until those are told.
struct LeftChannels: Equatable, Sendable {
    private struct Entry: Equatable, Sendable {
        let application: ApplicationID
        let left: ApplicationInterface.Left
    }

    /// Many more than a person has applications for this; the oldest is dropped beyond it.
    static let limit = 16

    private var entries: [Entry] = []

    var count: Int { entries.count }

    mutating func remember(_ left: ApplicationInterface.Left, of application: ApplicationID) {
        forget(application)
        entries.append(Entry(application: application, left: left))
        entries.removeFirst(max(0, entries.count - Self.limit))
    }

    mutating func forget(_ application: ApplicationID) {
        entries.removeAll { $0.application == application }
    }

    mutating func take(_ application: ApplicationID) -> ApplicationInterface.Left? {
        defer { forget(application) }
        return entries.first { $0.application == application }?.left
    }
}
