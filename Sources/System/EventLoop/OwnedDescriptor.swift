import Glibc

/// Owns a file descriptor, and closes it when dropped.
package struct OwnedDescriptor: ~Copyable, Sendable {
    package let value: Int32

    /// Takes ownership of a descriptor from the caller.
    package init(adopting value: Int32) {
        self.value = value
    }

    deinit {
        // The descriptor is closed even if close(2) fails.
        _ = close(value)
    }

    /// Passes ownership to the caller, without closing the descriptor.
    package consuming func release() -> Int32 {
        let value = value
        discard self
        return value
    }
}
