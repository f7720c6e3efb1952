import EventLoop

extension Simulation {
    /// Notifications of each burst, and the time to the next one.
    private static let burst = (count: 10, interval: Duration.milliseconds(10))

    /// Notifies every value of a byte but 01, which is mostly a press, in turn.
    func flood(_ button: VirtualButton, count: Int) {
        let timer = TimerSource { [weak self] in
            guard let self else { return }
            for number in 0..<min(count, Self.burst.count) {
                let value = UInt8(truncatingIfNeeded: count - number)
                // A button that is away loses them.
                _ = device(of: button)?.notify([value == 1 ? 0 : value], input: 0)
            }
            floods[button.number] = nil
            if count > Self.burst.count { flood(button, count: count - Self.burst.count) }
        }
        timer.arm(after: Self.burst.interval)
        floods[button.number] = timer
    }
}
