import CDBus

/// Owns one reference to a libdbus message.
struct BusMessage: ~Copyable {
    let pointer: OpaquePointer

    /// Takes ownership of a reference from the caller.
    init(adopting pointer: OpaquePointer) { self.pointer = pointer }

    deinit { dbus_message_unref(pointer) }

    /// `DBUS_MESSAGE_TYPE_…`.
    var type: Int32 { dbus_message_get_type(pointer) }
    var serial: UInt32 { dbus_message_get_serial(pointer) }
    var replySerial: UInt32 { dbus_message_get_reply_serial(pointer) }
    var wantsReply: Bool { dbus_message_get_no_reply(pointer) == 0 }
    var sender: String? { dbus_message_get_sender(pointer).map { String(cString: $0) } }
    var path: String? { dbus_message_get_path(pointer).map { String(cString: $0) } }
    var interface: String? { dbus_message_get_interface(pointer).map { String(cString: $0) } }
    var member: String? { dbus_message_get_member(pointer).map { String(cString: $0) } }
    var errorName: String? { dbus_message_get_error_name(pointer).map { String(cString: $0) } }

    /// The signature of the body.
    var signature: String { dbus_message_get_signature(pointer).map { String(cString: $0) } ?? "" }

    /// The first argument, if it is a string; the rest of the body is not decoded.
    var firstString: String? { MessageDecoder.firstString(of: pointer) }

    /// The body. libdbus has checked it against its signature on arrival.
    ///
    /// - Throws: `LimitsExceeded` if it exceeds the limits of ``MessageDecoder``.
    func arguments() throws(BusError) -> [BusValue] { try MessageDecoder.values(of: pointer) }

    /// The error in an error message.
    var error: BusError {
        BusError(name: errorName ?? BusError.standard + "Failed", message: firstString ?? "")
    }
}

// MARK: - Making messages

extension BusMessage {
    /// - Throws: `InvalidArgs` if a name or argument breaks the rules of D-Bus.
    static func call(_ call: MethodCall) throws(BusError) -> BusMessage {
        let (service, path, interface) = (call.interface.service, call.interface.path, call.interface.name)
        try check(BusNames.isBusName(service), "\(service) is not a bus name")
        try check(BusNames.isInterface(interface), "\(interface) is not an interface name")
        try check(BusNames.isMember(call.member), "\(call.member) is not a method name")
        let message = BusMessage(
            adopting: try created(dbus_message_new_method_call(service, path.text, interface, call.member))
        )
        dbus_message_set_auto_start(message.pointer, call.startsService ? 1 : 0)
        try MessageEncoder.append(call.arguments, to: message.pointer)
        return message
    }

    /// - Throws: `InvalidArgs` if a name or argument breaks the rules of D-Bus.
    static func signal(_ signal: BusSignal, to destination: String?) throws(BusError) -> BusMessage {
        try check(BusNames.isInterface(signal.interface), "\(signal.interface) is not an interface name")
        try check(BusNames.isMember(signal.member), "\(signal.member) is not a signal name")
        let message = BusMessage(
            adopting: try created(dbus_message_new_signal(signal.path.text, signal.interface, signal.member))
        )
        if let destination {
            try check(BusNames.isBusName(destination), "\(destination) is not a bus name")
            dbus_message_set_destination(message.pointer, destination)
        }
        try MessageEncoder.append(signal.arguments, to: message.pointer)
        return message
    }

    static func reply(to serial: UInt32, of sender: String?, _ values: [BusValue]) throws(BusError)
        -> BusMessage
    {
        let message = try answer(DBUS_MESSAGE_TYPE_METHOD_RETURN, to: serial, of: sender)
        try MessageEncoder.append(values, to: message.pointer)
        return message
    }

    /// A name or message that is not valid is replaced, so that the caller receives an error in any case.
    static func error(to serial: UInt32, of sender: String?, _ error: BusError) throws(BusError)
        -> BusMessage
    {
        let message = try answer(DBUS_MESSAGE_TYPE_ERROR, to: serial, of: sender)
        let isValid = BusNames.isErrorName(error.name)
        dbus_message_set_error_name(message.pointer, isValid ? error.name : BusError.standard + "Failed")
        let text = BusNames.isText(error.message) ? error.message : error.name
        try MessageEncoder.append([.string(String(text.prefix(4096)))], to: message.pointer)
        return message
    }

    private static func answer(_ type: Int32, to serial: UInt32, of sender: String?) throws(BusError)
        -> BusMessage
    {
        let message = BusMessage(adopting: try created(dbus_message_new(type)))
        dbus_message_set_reply_serial(message.pointer, serial)
        dbus_message_set_no_reply(message.pointer, 1)
        if let sender { dbus_message_set_destination(message.pointer, sender) }
        return message
    }

    private static func created(_ pointer: OpaquePointer?) throws(BusError) -> OpaquePointer {
        guard let pointer else { throw .standard("NoMemory", "out of memory for a message") }
        return pointer
    }

    private static func check(_ isValid: Bool, _ message: String) throws(BusError) {
        guard isValid else { throw .invalidArguments(message) }
    }
}
