extension PrivateAudioServer {
    /// The open capture streams of programs, one line for each. PulseAudio's remapped sources also record,
    /// without a client.
    package func sourceOutputs() async throws -> [Substring] {
        try await pactl("list", "short", "source-outputs").split(separator: "\n").filter {
            $0.split(separator: "\t").dropFirst(2).first != "-"
        }
    }

    /// True if a stream, also one of the server itself, records from this source.
    package func isRecorded(_ source: String) async throws -> Bool {
        let sources = try await pactl("list", "short", "sources").split(separator: "\n")
        let outputs = try await pactl("list", "short", "source-outputs").split(separator: "\n")
        let index = sources.map { $0.split(separator: "\t") }.first { $0.dropFirst().first == source[...] }?
            .first
        return outputs.contains { index != nil && $0.split(separator: "\t").dropFirst().first == index }
    }
}
