import EventLoop

extension VirtualSource {
    /// PipeWire takes the links of a stream away while it moves it, by our order or by a person's, and lists
    /// it as paused for some milliseconds more.
    private static let moveTime = Duration.milliseconds(200)

    /// Returns true if the applications may only seem to have ended their recordings. The source is looked at
    /// again in time.
    func isBeingMoved(_ instance: VirtualSourcePlan.Instance) -> Bool {
        guard isPipeWire, instance.recorders.isEmpty, case .recorded = state else {
            moveEnd = nil
            moveTimer.disarm()
            return false
        }
        let end = moveEnd ?? .now + Self.moveTime
        guard MonotonicInstant.now < end else {
            moveEnd = nil
            return false
        }
        moveEnd = end
        moveTimer.arm(at: end)
        return true
    }
}
