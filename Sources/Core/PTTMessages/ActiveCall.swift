/// A telephone call, or one of another application, to which push-to-talk yields.
package struct ActiveCall: Equatable, Codable, Sendable {
    /// The source of the report: `ModemManager`, `oFono`, `callaudiod`, `phone stream`, `call application`.
    package let source: String
    /// For people: what kind of call, or the application. Never who calls.
    package let name: String

    package init(source: String, name: String) {
        self.source = source
        self.name = name
    }
}
