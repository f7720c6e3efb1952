internal import Glibc

/// Owns one file descriptor and closes it.
public struct OwnedDescriptor: ~Copyable, Sendable {
    public let value: Int32

    /// Takes over a descriptor that the caller owns.
    public init(adopting value: Int32) {
        self.value = value
    }

    deinit {
        // close(2): the descriptor is gone whatever it returns.
        _ = close(value)
    }

    /// Gives the descriptor away without closing it.
    public consuming func release() -> Int32 {
        let value = value
        discard self
        return value
    }
}
