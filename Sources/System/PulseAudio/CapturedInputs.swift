/// The inputs that are heard through a stream that captures: its microphones, and which input of each. The
/// consent of a person, a press, is to these: the server may put others in their place, the built-in
/// microphone when a plug is pulled, and the same source goes on delivering.
struct CapturedInputs: Equatable {
    private var microphones: [UInt32: AudioDevice] = [:]

    /// - Parameter origins: ``AudioDevices/origins(of:)`` the source.
    init(_ origins: [AudioDevice]) {
        for microphone in origins { microphones[microphone.index] = microphone }
    }

    /// Takes what is heard now.
    ///
    /// - Returns: For people, what is heard in place of what was; nil if it is the same. What was not known
    ///   before, the port of a source that has just appeared or the microphone of a filter without one, is no
    ///   change.
    mutating func change(to origins: [AudioDevice]) -> String? {
        let before = microphones
        let names = { (inputs: [AudioDevice]) in
            inputs.map { "“\($0.name)”" }.sorted().joined(separator: ", ")
        }
        var now: [UInt32: AudioDevice] = [:]
        for microphone in origins {
            let earlier = before[microphone.index]
            now[microphone.index] = microphone
            if microphone.port == nil { now[microphone.index]?.port = earlier?.port }
            guard let earlier else { continue }
            if let old = earlier.port, let new = microphone.port, old.name != new.name {
                return "“\(microphone.name)” now captures \(new.description) in place of \(old.description)"
            }
            if microphone.isUnplugged, !earlier.isUnplugged { return "the microphone was unplugged" }
        }
        microphones = now
        guard !before.isEmpty, Set(before.keys) != Set(now.keys) else { return nil }
        if origins.isEmpty { return "\(names(Array(before.values))) is not heard any more" }
        return "\(names(origins)) is heard in place of \(names(Array(before.values)))"
    }
}
