import Glibc

/// Owns one file descriptor and closes it.
package struct OwnedDescriptor: ~Copyable, Sendable {
    package let value: Int32

    /// Takes over a descriptor that the caller owns.
    package init(adopting value: Int32) {
        self.value = value
    }

    deinit {
        // close(2): the descriptor is gone whatever it returns.
        _ = close(value)
    }

    /// Gives the descriptor away without closing it.
    package consuming func release() -> Int32 {
        let value = value
        discard self
        return value
    }
}
