import PTTMessages

/// A channel that was left while its application was not attached.
struct LeftChannel: Equatable, Sendable {
    let application: ApplicationID
    let left: ApplicationInterface.Left
}
