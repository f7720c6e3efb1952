/// The pictures of people on the server, which Mumble calls textures: those that were asked for. By itself a
/// server tells only that somebody has one.
struct Pictures: Sendable {
    /// Of the people who have talked last.
    static let limit = 16
    /// `pttd` takes none with more bytes.
    static let longest = 256 * 1024

    /// The oldest first. A file is empty until the server has sent it.
    private var files: [(session: UInt32, bytes: [UInt8])] = []

    /// - Returns: The bytes of the file; nil if it is not here.
    func file(of session: UInt32) -> [UInt8]? {
        files.first { $0.session == session && !$0.bytes.isEmpty }?.bytes
    }

    /// - Returns: True if the server is to be asked for it; false if it was asked before.
    mutating func ask(for session: UInt32) -> Bool {
        guard !files.contains(where: { $0.session == session }) else { return false }
        if files.count == Self.limit { files.removeFirst() }
        files.append((session, []))
        return true
    }

    /// One that comes by itself is asked for when that person talks again: so is a flood of them.
    ///
    /// - Returns: True if it is one to show: it was asked for, and is not too long.
    mutating func receive(_ bytes: [UInt8], of session: UInt32) -> Bool {
        guard let index = files.firstIndex(where: { $0.session == session }) else { return false }
        guard files[index].bytes.isEmpty else {
            files.remove(at: index)
            return false
        }
        guard bytes.count <= Self.longest else { return false }
        files[index].bytes = bytes
        return true
    }

    /// The person has another one, or is gone: a server gives the number to somebody else then.
    mutating func forget(_ session: UInt32) { files.removeAll { $0.session == session } }
}
