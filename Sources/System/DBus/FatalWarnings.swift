import Glibc

/// Keeps libdbus from aborting the process.
enum FatalWarnings {
    /// libdbus aborts on an invalid argument unless this environment variable, which it reads once, disables
    /// that. Arguments are checked before they reach it; should a check be missing, the function fails
    /// instead.
    static func disable() { _ = disabled }

    private static let disabled: Void = {
        // Fails only for an invalid name (setenv(3)).
        _ = setenv("DBUS_FATAL_WARNINGS", "0", 1)
    }()
}
