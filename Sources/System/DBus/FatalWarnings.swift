import Glibc

/// Keeps libdbus from ending the process.
enum LibraryManners {
    /// libdbus aborts on a wrong argument unless told otherwise by the environment, which it reads once.
    /// Arguments are checked before they reach it; should a check be missing, the function fails instead.
    static func adopt() { _ = adopted }

    private static let adopted: Void = {
        // Fails for an invalid name only (setenv(3)).
        _ = setenv("DBUS_FATAL_WARNINGS", "0", 1)
    }()
}
