import EventLoop
import Glibc

/// The contents of a file.
func read(_ path: String) throws -> [UInt8] {
    guard let file = fopen(path, "re") else { throw SystemError("read \(path)") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    guard ferror(file) == 0 else { throw SystemError("read \(path)") }
    return bytes
}

/// The names of the visible files in a directory.
func names(in path: String) throws -> [String] {
    guard let directory = opendir(path) else { throw SystemError("read \(path)") }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if !name.hasPrefix(".") { names.append(name) }
    }
    return names
}
