/// The names and the version of the programs.
package enum Product {
    package static let name = "PushToTalk for Linux"
    /// The name of its catalogues (gettext(3)).
    package static let textDomain = "push-to-talk"
    package static let version = "0.1.0"
}
