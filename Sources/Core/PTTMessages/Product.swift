/// The name and the version of the programs.
package enum Product {
    package static let name = "PushToTalk for Linux"
    package static let version = "0.1.0"
}
