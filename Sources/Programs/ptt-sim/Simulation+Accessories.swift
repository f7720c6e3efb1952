import EventLoop

// The commands of buttons and microphones.

extension Simulation {
    /// The time in which both ends of a link detect that it is lost (supervision timeout).
    private static let supervisionTimeout = Duration.seconds(1)
    /// Of a flood: the notifications of each burst, and the time to the next one.
    private static let burst = (count: 10, interval: Duration.milliseconds(10))

    /// Answers exactly once, when the command has been carried out.
    func carryOut(
        _ command: DeviceCommand,
        by accessory: any VirtualAccessory,
        _ answer: @escaping @EventLoop (String) -> Void
    ) throws(SimulationError) {
        let adapter = daemon?.adapter
        switch command {
        case .set(let role, let isPressed):
            try accessory.set(role, isPressed: isPressed, over: adapter)
        case .raw(let bytes, let input): try accessory.send(raw: bytes, input: input, over: adapter)
        case .disconnect: peripheral(of: accessory)?.loseLink()
        case .sleep:
            accessory.radio = .asleep
            peripheral(of: accessory)?.loseLink()
        case .wake: wake(accessory)
        case .vanish: return vanish(accessory) { answer("ok") }
        case .flood(let count): flood(try button(accessory), count: count)
        case .onSubscribe(let bytes):
            try button(accessory).characteristics.first?.valueOnSubscribe = bytes
        case .stored(let bytes): try button(accessory).characteristics.first?.value = bytes
        case .sound(let isUp): device(of: try button(accessory))?.setSound(isUp)
        case .hide: try button(accessory).stored.hideAddress()
        case .page: device(of: try microphone(accessory))?.page()
        case .closePort: device(of: try microphone(accessory))?.closePort()
        case .refusePort(let count): try microphone(accessory).refusals = count
        }
        answer("ok")
    }

    private func wake(_ accessory: any VirtualAccessory) {
        accessory.radio = .awake
        vanishing.removeValue(forKey: accessory.number)?.ended()
        daemon?.adapter?.radioChanged()
    }

    private func vanish(_ accessory: any VirtualAccessory, ended: @escaping @EventLoop () -> Void) {
        accessory.radio = .gone
        let timer = TimerSource { [weak self] in
            self?.peripheral(of: accessory)?.loseLink()
            self?.vanishing.removeValue(forKey: accessory.number)?.ended()
        }
        timer.arm(after: Self.supervisionTimeout)
        vanishing.updateValue((timer, ended), forKey: accessory.number)?.ended()
    }

    /// Notifies every value of a byte but 01, which is mostly a press, in turn.
    private func flood(_ button: VirtualButton, count: Int) {
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

    private func button(_ accessory: any VirtualAccessory) throws(SimulationError) -> VirtualButton {
        guard let button = accessory as? VirtualButton else {
            throw SimulationError(description: "microphone \(accessory.number) has no notifications")
        }
        return button
    }

    private func microphone(_ accessory: any VirtualAccessory) throws(SimulationError)
        -> VirtualSerialMicrophone
    {
        guard let microphone = accessory as? VirtualSerialMicrophone else {
            throw SimulationError(description: "button \(accessory.number) is no microphone")
        }
        return microphone
    }

    func device(of button: VirtualButton) -> SimulatedDevice? { peripheral(of: button) as? SimulatedDevice }

    private func device(of microphone: VirtualSerialMicrophone) -> SimulatedMicrophone? {
        peripheral(of: microphone) as? SimulatedMicrophone
    }

    private func peripheral(of accessory: any VirtualAccessory) -> SimulatedPeripheral? {
        daemon?.adapter?.peripherals[accessory.number]
    }
}
