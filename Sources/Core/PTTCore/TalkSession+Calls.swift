import PTTMessages

extension TalkSession {
    mutating func callChanged(_ call: ActiveCall?, effects: inout EffectCollector) {
        guard call != self.call else { return }
        self.call = call
        effects.publish(.callChanged(call))
    }

    mutating func recordersChanged(_ recorders: [String], effects: inout EffectCollector) {
        guard recorders != self.recorders else { return }
        self.recorders = recorders
        effects.publish(.recordersChanged(recorders))
    }
}
