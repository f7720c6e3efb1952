/// The marks by which this program's own devices and streams are recognised among those that the server
/// lists.
struct OwnMarks {
    /// The property that own devices have, and marked streams; nil if they have none.
    var deviceProperty: String?
    /// The server's indices of this program's connections.
    var clients: Set<UInt32> = []

    func marks(_ properties: OpaquePointer?) -> Bool {
        deviceProperty.map { property($0, of: properties) != nil } ?? false
    }
}
