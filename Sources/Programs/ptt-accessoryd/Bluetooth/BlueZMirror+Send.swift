import DBus

extension BlueZMirror {
    /// Calls a method of bluetoothd whose answer has no values.
    ///
    /// - Throws: The error of the answer, or ``unavailability``.
    func send(_ call: MethodCall, timeout: Duration = BusConnection.defaultTimeout) async throws(BusError) {
        guard let connection else { throw .failed(unavailability) }
        _ = try await connection.call(call, timeout: timeout)
    }
}
