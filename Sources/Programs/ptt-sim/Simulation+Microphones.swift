import EventLoop

extension Simulation {
    func carryOut(
        _ command: Command,
        by microphone: VirtualSerialMicrophone,
        _ answer: @escaping @EventLoop (String) -> Void
    ) throws(CommandError) {
        let device = daemon?.adapter?.microphones[microphone.number]
        switch command {
        case .press(_, let role): try send(try microphone.set(role, isPressed: true), from: microphone)
        case .release(_, let role): try send(try microphone.set(role, isPressed: false), from: microphone)
        case .raw(_, let bytes, input: _): try send(bytes, from: microphone)
        case .disconnect: device?.loseLink()
        case .sleep:
            microphone.radio = .asleep
            device?.loseLink()
        case .wake, .comeBack:
            microphone.radio = .awake
            daemon?.adapter?.radioChanged()
        case .vanish:
            microphone.radio = .gone
            let timer = TimerSource {
                device?.loseLink()
                answer("ok")
            }
            timer.arm(after: Self.supervisionTimeout)
            return timers.append(timer)
        case .page: device?.page()
        case .closePort: device?.closePort()
        case .refusePort(_, let count): microphone.refusals = count
        case .onSubscribe, .stored, .sound, .hide, .flood:
            throw CommandError(description: "microphone \(microphone.number) has no notifications")
        case .power, .unplug, .plug, .crash, .revive, .quit: break
        }
        answer("ok")
    }

    private func send(_ bytes: [UInt8], from microphone: VirtualSerialMicrophone) throws(CommandError) {
        guard microphone.radio != .gone, microphone.write(bytes) else {
            throw CommandError(
                description: "not sent: the serial port of microphone \(microphone.number) is closed"
            )
        }
    }

    func microphone(_ number: Int) -> VirtualSerialMicrophone? {
        microphones.first { $0.number == number }
    }
}
