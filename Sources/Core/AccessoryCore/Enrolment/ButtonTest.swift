package import PTTMessages

/// Observes one full press of a device that is being enrolled, while its permission is withheld: what was
/// never seen to be released is not armed.
package struct ButtonTest: Equatable, Sendable {
    package enum State: Equatable, Sendable {
        case waitingForPress
        case waitingForRelease(ButtonRole)
        /// Hold: a press and its release were observed. Toggle: a press of a button that reports no release,
        /// or that toggles.
        case passed(ButtonRole, ButtonMode)
    }

    package private(set) var state = State.waitingForPress

    package init() {}

    /// - Parameter event: Any event of the device.
    package mutating func handle(_ event: AccessoryEvent) {
        guard let device = event.device else { return }
        if case .passed = state { return }
        switch device.link {
        case .away, .connecting, .unknown:
            // What was released meanwhile is not known.
            state = .waitingForPress
        case .ready, .unused:
            // Without permission presses are published as ignored, with their role.
            guard event.kind == .ignored, let role = event.role, role.transmits else { return }
            observe(role, isPressed: device.isPressed, mode: device.mode)
        }
    }

    private mutating func observe(_ role: ButtonRole, isPressed: Bool, mode: ButtonMode) {
        switch (state, isPressed) {
        case (.waitingForPress, true): state = .waitingForRelease(role)
        // A button that never reports its release is never listed as pressed.
        case (.waitingForPress, false): if mode == .toggle { state = .passed(role, .toggle) }
        case (.waitingForRelease(let pressed), false): if role == pressed { state = .passed(role, mode) }
        case (.waitingForRelease, true), (.passed, _): break
        }
    }

    /// Why the test did not succeed, and what to do. `address` is what `pttctl` accepts.
    package func failure(_ address: String) -> String? {
        switch state {
        case .waitingForPress:
            "no press of its talk button arrived in time: run `pttctl pair \(address)` again, and press and release "
                + "it when asked; if it was pressed, `pttctl learn` finds out what it sends"
        case .waitingForRelease:
            "a press arrived, but no release: a button that never reports its release cannot be held to talk. "
                + "Choose an accessory file that says so with `--accessory`, or run `pttctl learn`"
        case .passed: nil
        }
    }
}
