import EventLoop

/// An interface that a server offers.
package struct VarlinkInterface {
    /// Replies before it returns or later. An error that it throws is the reply.
    package typealias Handler = @EventLoop (VarlinkCall) throws(VarlinkError) -> Void

    /// In reverse-domain form: `org.example.Ping`.
    package let name: String
    /// The definition as text (<https://varlink.org/Interface-Definition>), for `GetInterfaceDescription`.
    package let description: String
    /// By the names of the methods, without that of the interface.
    let methods: [String: Handler]

    /// - Parameters:
    ///   - description: The definition. Traps if it names no interface.
    ///   - methods: The handler of each method. Traps if the keys are not exactly the methods of the
    ///     definition.
    package init(_ description: String, methods: [String: Handler]) {
        var name: String?
        var declared: Set<String> = []
        for line in description.utf8.split(separator: UInt8(ascii: "\n")) {
            let words = line.prefix { $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "(") }
                .split(separator: UInt8(ascii: " "))
            guard words.count == 2 else { continue }
            let word = String(decoding: words[1], as: UTF8.self)
            if words[0].elementsEqual("interface".utf8) { name = word }
            if words[0].elementsEqual("method".utf8) { declared.insert(word) }
        }
        guard let name else { preconditionFailure("An interface definition without a name") }
        let wrong = declared.symmetricDifference(methods.keys).sorted()
        precondition(wrong.isEmpty, "Methods of \(name) without a handler, or not declared: \(wrong)")
        self.name = name
        self.description = description
        self.methods = methods
    }
}

/// The description that a service gives of itself to `org.varlink.service.GetInfo`.
package struct VarlinkServiceInfo: Sendable {
    package var vendor: String
    package var product: String
    package var version: String
    package var url: String

    package init(vendor: String, product: String, version: String, url: String) {
        self.vendor = vendor
        self.product = product
        self.version = version
        self.url = url
    }
}
