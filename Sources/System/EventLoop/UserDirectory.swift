/// The directories of the user (XDG Base Directory Specification).
package enum UserDirectory {
    case configuration
    case data
    case state

    /// Nil if neither the directory's own variable nor `HOME` is set. The specification says to ignore a path
    /// that is not absolute.
    package var path: String? {
        let (variable, fallback) =
            switch self {
            case .configuration: ("XDG_CONFIG_HOME", "/.config")
            case .data: ("XDG_DATA_HOME", "/.local/share")
            case .state: ("XDG_STATE_HOME", "/.local/state")
            }
        return absolute(variable) ?? absolute("HOME").map { $0 + fallback }
    }

    /// The user's data, then that of the machine, the most important directory first.
    package static var allData: [String] {
        let shared = Environment.variable("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share"
        return [data.path].compactMap(\.self) + shared.split(separator: ":").map { String($0) }
    }

    private func absolute(_ variable: String) -> String? {
        Environment.variable(variable).flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
    }
}
