/// The source while it is captured: what of it may change, and what ends the capture.
extension CaptureStream {
    /// The state of the source is known, or nothing of it is delivered any longer: what cannot be looked at
    /// may be another microphone.
    func querySource() {
        guard case .live = phase else { return }
        querySources { [weak self] in self?.update($0) }
    }

    private func update(_ devices: AudioDevices) {
        guard case .live = phase, let handle, let before = source,
            let source = devices.sources.first(where: { $0.index == handle.deviceIndex })
        else { return }
        if let change = inputs.change(to: devices.origins(of: source)) {
            return fail(AudioError(StreamHandle.action(.capture, source.name), reason: change))
        }
        let state = state(of: source, in: devices)
        self.source = state
        if state != before { events?(.changed(state)) }
    }

    func state(of source: AudioDevice, in devices: AudioDevices) -> SourceState {
        var state = SourceState(source, in: devices, stream: handle?.index)
        state.isSilent = liveness.listed(isZero: state.isSilent)
        return state
    }
}
