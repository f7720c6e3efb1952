import EventLoop
import JSON

/// An interface that a server offers.
package struct VarlinkInterface {
    package typealias Handler = @EventLoop (VarlinkCall) -> Void

    /// In reverse-domain form: `org.example.Ping`.
    package let name: String
    /// The definition as text (<https://varlink.org/Interface-Definition>), told to clients who ask.
    package let description: String
    let methods: Set<UTF8Text>
    let handler: Handler

    /// - Parameters:
    ///   - description: The definition. Traps if it names no interface.
    ///   - handler: Called for the methods of the definition. It answers at once or later.
    package init(_ description: String, handler: @escaping Handler) {
        var name: String?
        var methods: Set<UTF8Text> = []
        for line in description.utf8.split(separator: UInt8(ascii: "\n")) {
            let words = line.prefix { $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "(") }
                .split(separator: UInt8(ascii: " "))
            guard words.count == 2 else { continue }
            let word = String(decoding: words[1], as: UTF8.self)
            if words[0].elementsEqual("interface".utf8) { name = word }
            if words[0].elementsEqual("method".utf8) { methods.insert(UTF8Text(word)) }
        }
        guard let name else { preconditionFailure("An interface definition without a name") }
        self.name = name
        self.description = description
        self.methods = methods
        self.handler = handler
    }
}

/// What a service says about itself to `org.varlink.service.GetInfo`.
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
