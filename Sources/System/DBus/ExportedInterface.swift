package import EventLoop

/// An interface of an exported object.
package struct ExportedInterface {
    package let name: String
    package let methods: [ExportedMethod]
    package let properties: [ExportedProperty]
    package let signals: [ExportedSignal]

    /// The signals are declared for introspection only; ``BusConnection/emit(_:to:)`` sends them.
    package init(
        _ name: String,
        methods: [ExportedMethod] = [],
        properties: [ExportedProperty] = [],
        signals: [ExportedSignal] = []
    ) {
        self.name = name
        self.methods = methods
        self.properties = properties
        self.signals = signals
    }
}

/// A method of an exported interface. Each type is a D-Bus signature of one complete type.
package struct ExportedMethod {
    let name: String
    let inputs: [(name: String, type: String)]
    let outputs: [(name: String, type: String)]
    let handler: @EventLoop (MethodInvocation) -> Void

    /// The handler answers the invocation, immediately or later; an invocation that is dropped is answered
    /// with an error. Calls whose types differ from `inputs` are refused before they reach the handler.
    package init(
        _ name: String,
        inputs: KeyValuePairs<String, String> = [:],
        outputs: KeyValuePairs<String, String> = [:],
        handler: @escaping @EventLoop (MethodInvocation) -> Void
    ) {
        self.name = name
        self.inputs = inputs.map { ($0.key, $0.value) }
        self.outputs = outputs.map { ($0.key, $0.value) }
        self.handler = handler
    }
}

package struct ExportedSignal {
    let name: String
    let arguments: [(name: String, type: String)]

    package init(_ name: String, arguments: KeyValuePairs<String, String> = [:]) {
        self.name = name
        self.arguments = arguments.map { ($0.key, $0.value) }
    }
}

package struct ExportedProperty {
    let name: String
    let type: String
    let get: @EventLoop () -> BusValue?
    let set: (@EventLoop (BusValue) throws(BusError) -> Void)?

    /// `get` returns nil while the object does not have the property. `set` is nil for a read-only property;
    /// values of another type are refused before they reach it, and it has to emit the change itself.
    package init(
        _ name: String,
        _ type: String,
        get: @escaping @EventLoop () -> BusValue?,
        set: (@EventLoop (BusValue) throws(BusError) -> Void)? = nil
    ) {
        self.name = name
        self.type = type
        self.get = get
        self.set = set
    }
}

/// One call of an exported method. It is answered once; further answers do nothing.
@EventLoop
package final class MethodInvocation {
    /// The unique name of the caller.
    package let sender: String
    package let path: ObjectPath
    /// Empty until the types have been checked against those of the method.
    package internal(set) var arguments: [BusValue] = []

    private let serial: UInt32
    private let wantsReply: Bool
    private weak var connection: BusConnection?
    private var isAnswered = false

    init(_ message: borrowing BusMessage, _ path: ObjectPath, on connection: BusConnection) {
        sender = message.sender ?? ""
        self.path = path
        serial = message.serial
        wantsReply = message.wantsReply
        self.connection = connection
    }

    isolated deinit {
        if !isAnswered { fail(.failed("the call was dropped without an answer")) }
    }

    package func reply(_ values: BusValue...) {
        complete(.success(values))
    }

    package func fail(_ error: BusError) {
        complete(.failure(error))
    }

    func complete(_ result: Result<[BusValue], BusError>) {
        guard !isAnswered else { return }
        isAnswered = true
        guard wantsReply, let connection else { return }
        do throws(BusError) {
            _ = try connection.send(try .reply(to: serial, of: sender, try result.get()))
        } catch {
            // The caller receives the error also if an answer cannot be sent; if that fails too, the
            // connection has ended.
            _ = try? connection.send(try .error(to: serial, of: sender, error))
        }
    }
}
