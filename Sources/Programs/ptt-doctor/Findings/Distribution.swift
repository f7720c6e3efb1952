/// The distributions whose packages are known by name.
enum Distribution: CaseIterable, Sendable {
    /// And Ubuntu.
    case debian
    case fedora
    case openSUSE
    case arch
    case nixOS

    /// - Parameter osRelease: The text of os-release(5). Nil if neither it nor what it is like is known.
    init?(osRelease: String) {
        let identifiers = Self.words(of: "ID", in: osRelease) + Self.words(of: "ID_LIKE", in: osRelease)
        guard let known = identifiers.lazy.compactMap(Self.init(identifier:)).first else { return nil }
        self = known
    }

    private init?(identifier: Substring) {
        switch identifier {
        case "debian", "ubuntu": self = .debian
        case "fedora", "rhel", "centos": self = .fedora
        case "opensuse", "opensuse-leap", "opensuse-tumbleweed", "suse", "sles": self = .openSUSE
        case "arch": self = .arch
        case "nixos": self = .nixOS
        default: return nil
        }
    }

    private static func words(of key: String, in osRelease: String) -> [Substring] {
        let line = osRelease.split(separator: "\n").last { $0.hasPrefix(key + "=") }
        return (line ?? "").dropFirst(key.utf8.count + 1).split { $0 == " " || $0 == "\"" || $0 == "'" }
    }
}
