package import PTTMessages

/// A push as it arrived, with what the shell found in its payload.
package struct PushEnvelope: Equatable, Codable, Sendable {
    package enum Content: Equatable, Codable, Sendable {
        /// - Parameter isServiceUpdate: True if `aps` has `ptt-push-type` with the value `service-update`.
        case readable(isServiceUpdate: Bool)
        /// The payload is not a JSON object, or holds a value that a property list cannot represent.
        case unusable(reason: String)
    }

    package let request: PushInterface.SendRequest
    package let content: Content
    /// The time of its arrival, in seconds since 1970.
    package let arrived: Int

    package init(request: PushInterface.SendRequest, content: Content, arrived: Int) {
        self.request = request
        self.content = content
        self.arrived = arrived
    }
}
