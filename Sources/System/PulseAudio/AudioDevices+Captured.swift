import CPulse

extension AudioDevices {
    /// The source that a stream captures from, once it is open, by the server's index of it; `name` is that
    /// of the source that the server was asked for.
    ///
    /// - Throws: If it may not be captured from: it has gone, delivers what this program plays, is no
    ///   microphone, or another one.
    func captured(_ index: UInt32, for request: StreamRequest, openedOn name: String) throws(AudioError)
        -> AudioDevice
    {
        let action = StreamHandle.action(.capture, request.device)
        guard let source = sources.first(where: { $0.index == index }) else {
            throw AudioError(action, reason: "it has gone", kind: .noDevice)
        }
        guard !isOwnSound(source) else {
            let reason = "“\(source.name)” delivers what this program plays"
            throw AudioError(action, reason: reason, kind: .noDevice)
        }
        try check(source, inPlaceOf: name)
        let names = request.preferences + [request.device].compactMap(\.self)
        guard names.contains(source.name) || names.contains(source.description) || isMicrophone(source) else {
            let reason = "the audio server offered “\(source.name)”, which is not a microphone"
            throw AudioError(StreamHandle.action(.capture, nil), reason: reason, kind: .noDevice)
        }
        return source
    }

    /// pipewire-pulse 0.3.65 opens the default source if the wanted one does not exist, and WirePlumber 0.5
    /// puts its smart filters in front of a microphone that is asked for by name. What is heard then must be
    /// that microphone alone.
    private func check(_ source: AudioDevice, inPlaceOf name: String) throws(AudioError) {
        // `@DEFAULT_SOURCE@` and the like refer to other devices on purpose.
        guard source.name != name, name.utf8.first != UInt8(ascii: "@") else { return }
        let action = StreamHandle.action(.capture, name)
        let wanted = sources.filter { $0.name == name }
        guard !wanted.isEmpty else { throw AudioError(action, code: Int32(PA_ERR_NOENTITY.rawValue)) }
        let heard = Set(origins(of: source).map(\.index))
        guard !heard.isEmpty, wanted.contains(where: { Set(origins(of: $0).map(\.index)) == heard }) else {
            let reason = "the audio server opened “\(source.name)” in its place"
            throw AudioError(action, reason: reason, kind: .noDevice)
        }
    }
}
