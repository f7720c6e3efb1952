import AccessoryCore
import EventLoop
import PTTMessages

extension Pairing {
    /// Pairs a device, and observes a press and its release. Then waits until it is enrolled. `isWanted` is
    /// false when the client is gone.
    ///
    /// - Throws: ``RequestFailure``; nothing is enrolled then.
    func pairAndTest(
        _ request: AccessoryInterface.PairAndTestRequest,
        isWanted: @escaping @EventLoop () -> Bool,
        report: @escaping @EventLoop (AccessoryInterface.PairAndTestReply) -> Void
    ) async throws(RequestFailure) {
        let requested = DeviceIdentity(bluetoothAddress: request.address)
        let key = request.bindKey.flatMap { Enrolment.bindKey($0) }
        try await begin(
            with: Enrolment(requested, accessory: request.accessory, mode: request.mode, bindKey: key)
        )
        defer { end() }
        report(.init(.connecting))
        var target = try await find(request.address)
        _ = try await prepare(&target)
        let identity = DeviceIdentity(bluetoothAddress: target.address)
        let test = try await tested(target, within: .seconds(request.seconds), isWanted: isWanted, report)
        guard isWanted() else { return }
        guard case .passed(_, let mode) = test.state else {
            throw .untested(test.failure(target.address) ?? "it was not tested")
        }
        try await checkWear(target, isWanted: isWanted, report)
        guard isWanted() else { return }
        // The mode of the file need not be repeated in the entry, and a button may be unable to have the
        // chosen one.
        let chosen = request.mode == nil ? nil : mode
        let button = buttons[target.path]
        report(
            .init(
                .tested,
                device: buttons.entry(of: target.address),
                mode: chosen,
                restore: button?.settings.restorations.map(\.message),
                accessory: enrolled.candidate?.accessory
            )
        )
        let isEnrolled = await buttons.changes.wait(for: Self.enrolTimeout) { [enrolled] in
            enrolled.contains(identity) || !isWanted()
        }
        guard isWanted() else { return }
        guard isEnrolled else { throw .failed("it was tested, but not enrolled in devices.toml") }
        enrolled.candidate = nil
        _ = await buttons.changes.wait(for: Self.readyTimeout) { [buttons] in
            buttons.entry(of: target.address)?.link == .ready
        }
        report(.init(.enrolled, device: buttons.entry(of: target.address)))
    }

    /// Handles an event of any accessory.
    func observe(_ event: AccessoryEvent) {
        guard let device = event.device, test?.identifier == device.identifier else { return }
        test?.1.handle(event)
    }

    /// Earbuds that notice when they are taken out send the same keys as a press does, and nothing tells the
    /// one from the other later: a headset that sends a key without a press is refused.
    private func checkWear(
        _ target: Target,
        isWanted: @escaping @EventLoop () -> Bool,
        _ report: @EventLoop (AccessoryInterface.PairAndTestReply) -> Void
    ) async throws(RequestFailure) {
        guard let entry = buttons.entry(of: target.address), entry.kind == .bluetoothHeadset else { return }
        test = (target.address, ButtonTest())
        defer { test = nil }
        report(.init(.waitingForWear, device: entry))
        let hasSent = await buttons.changes.wait(for: Self.wearTime) { [weak self] in
            self?.test?.1.state != .waitingForPress || !isWanted()
        }
        guard hasSent, isWanted() else { return }
        throw .untested(
            "it sent its key without a press, as earbuds do that notice when they are taken out: it would open the "
                + "microphone then. Switch its in-ear detection off, and run `pttctl pair \(target.address)` again"
        )
    }

    func tested(
        _ target: Target,
        within limit: Duration,
        isWanted: @escaping @EventLoop () -> Bool,
        _ report: @EventLoop (AccessoryInterface.PairAndTestReply) -> Void
    ) async throws(RequestFailure) -> ButtonTest {
        test = (target.address, ButtonTest())
        defer { test = nil }
        let end = MonotonicInstant.now + limit
        var state = ButtonTest.State.waitingForPress
        report(.init(.waitingForPress, device: buttons.entry(of: target.address)))
        while isWanted(), let present = test?.1 {
            if case .passed = present.state { return present }
            if present.state != state {
                state = present.state
                let step: PairingStep = state == .waitingForPress ? .waitingForPress : .waitingForRelease
                report(.init(step, device: buttons.entry(of: target.address)))
            }
            let last = state
            let hasChanged = await buttons.changes.wait(for: end - .now) { [weak self] in
                self?.test?.1.state != last || !isWanted()
            }
            if !hasChanged { return test?.1 ?? ButtonTest() }
        }
        return ButtonTest()
    }
}

extension Enrolment.Restoration {
    fileprivate var message: Restoration {
        Restoration(
            service: attribute.service.text,
            characteristic: attribute.characteristic.text,
            bits: bits.map { String(hexadecimal: UInt64($0), digits: 2) }.joined()
        )
    }
}
