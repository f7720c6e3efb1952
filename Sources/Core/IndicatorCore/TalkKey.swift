/// The key on the keyboard.
package enum TalkKey {
    /// Why the release of the key would not be reported.
    package enum Loss: String, Sendable {
        case sessionClosed
        case portalLost
        case backendLost
        case busLost
    }
}
