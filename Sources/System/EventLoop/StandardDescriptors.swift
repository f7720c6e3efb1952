import Glibc

/// Standard input, output and error.
enum StandardDescriptors {
    /// Occupies those that are closed, so that no socket of this process gets their number: what a program
    /// prints would be sent to a daemon. They stay as unusable as before: `/dev/null` is opened the wrong way
    /// round.
    static func reserve() {
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
            let opened = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
            // Another thread was faster, or nothing can be opened.
            if opened > STDERR_FILENO { close(opened) }
        }
    }
}
