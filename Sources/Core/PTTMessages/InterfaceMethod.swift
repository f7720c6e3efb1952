/// A method of a Varlink interface: its name, and the types of its parameters on the way there and back.
///
/// A daemon serves a method and a client calls it by the same value, so that both use the same types.
package struct InterfaceMethod<Request: Codable & Sendable, Reply: Codable & Sendable>: Sendable {
    /// Without its interface.
    package let name: String
    /// With its interface, as it stands in a call.
    package let qualifiedName: String

    package init(_ name: String, of interface: String) {
        self.name = name
        qualifiedName = "\(interface).\(name)"
    }
}

/// The parameters of a call that has none, or of a reply that has none.
package struct NoParameters: Equatable, Codable, Sendable {
    package init() {}
}
