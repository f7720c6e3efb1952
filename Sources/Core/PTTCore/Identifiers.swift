/// Identifies a request that waits for its answer. The shell numbers requests and remembers which call each
/// belongs to.
package struct RequestID: RawRepresentable, Hashable, Codable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }
}

/// Identifies a client of the core's socket. Never reused in one run of the core.
package struct ClientID: RawRepresentable, Hashable, Codable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }
}

/// Identifies a capture stream. Never reused in one run of the core, so that late events of a closed stream
/// are recognized.
package struct CaptureID: RawRepresentable, Hashable, Codable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }
}

/// Identifies an attempt to start an application. Never reused in one run of the core, so that the late
/// failure of one attempt is not mistaken for that of the next.
package struct StartID: RawRepresentable, Hashable, Codable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }
}

/// Identifies a playback stream. Never reused in one run of the core.
package struct PlaybackID: RawRepresentable, Hashable, Codable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }
}
