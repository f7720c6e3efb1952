import CPulse

/// The marks by which this program's own devices and streams are recognised among those that the server
/// lists.
struct OwnMarks {
    /// The property that own devices have, and marked streams.
    let deviceProperty: String?
    /// The server's indices of this program's connections.
    let clients: Set<UInt32>

    /// - Parameters:
    ///   - property: The property of own devices, if they have one.
    ///   - contexts: This program's connections. One that is not ready has no streams yet.
    init(_ property: String?, _ contexts: [OpaquePointer?]) {
        deviceProperty = property
        clients = Set(contexts.compactMap(\.self).map { pa_context_get_index($0) }.filter { $0 != .max })
    }
}
