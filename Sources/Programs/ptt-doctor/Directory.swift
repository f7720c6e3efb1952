import EventLoop
import Glibc

enum Directory {
    /// Returns the names in a directory, in their order; none if it cannot be read.
    static func names(in path: String) -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}

extension TextFile {
    /// The first line of a small file; nil if it cannot be read.
    static func firstLine(of path: String) -> String? {
        let text = try? read(path, limit: 4096)
        return text.map { String($0.prefix { $0 != "\n" }) }
    }
}
