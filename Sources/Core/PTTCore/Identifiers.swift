/// Names a request that waits for its answer. The shell numbers them and keeps whom to answer.
package struct RequestID: RawRepresentable, Hashable, Codable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }
}

/// Names a connection to the core's socket. Never used twice in one run of the core.
package struct ClientID: RawRepresentable, Hashable, Codable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }
}

/// Names a capture stream. Never used twice in one run of the core, so that news of a closed one can be told apart.
package struct CaptureID: RawRepresentable, Hashable, Codable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }
}

/// Names an attempt to start an application. Never used twice in one run of the core, so that the late failure of one
/// is not taken for that of the next.
package struct StartID: RawRepresentable, Hashable, Codable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }
}

/// Names a playback stream. Never used twice in one run of the core.
package struct PlaybackID: RawRepresentable, Hashable, Codable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }
}
