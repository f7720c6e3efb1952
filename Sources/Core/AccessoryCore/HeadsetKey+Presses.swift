import PTTMessages

extension HeadsetKey {
    mutating func keyPressed(_ code: UInt16, at now: MonotonicTime) -> [Effect] {
        guard Self.codes.contains(code) else { return [ignored(code, "not a push-to-talk key")] }
        guard key == .up else { return [ignored(code, "already pressed")] }
        switch presence {
        case .removed:
            return []
        case .locked:
            key = .down
            presence = .locked(until: now + Self.silence)
            return [ignored(code, "locked")]
        case .present:
            switch contact {
            case .plug:
                key = .touched(code: code, since: now)
                return []
            case .remote:
                key = .down
                return pressed(code, at: now)
            }
        }
    }

    mutating func keyReleased(_ code: UInt16, at now: MonotonicTime) -> [Effect] {
        guard Self.codes.contains(code) else { return [ignored(code, "not a push-to-talk key")] }
        switch (presence, key) {
        case (.removed, _):
            return []
        case (_, .up):
            return [ignored(code, "the press was not observed")]
        case (.locked, _):
            presence = .locked(until: now + Self.silence)
            return letGo() + [ignored(code, "locked")]
        case (.present, .down):
            return letGo() + [published(.released, code)]
        case (.present, .touched(code: _, let since)):
            guard now - since < Self.shortestPress else {
                // The timer is late.
                key = .down
                return pressed(code, at: now) + letGo() + [published(.released, code)]
            }
            key = .up
            let isPhantom = phantoms.add(now) >= Self.phantomLimit
            return (isPhantom ? lock(at: now) : []) + [ignored(code, "too short for a press")]
        }
    }

    mutating func keyResynchronised(_ code: UInt16, _ isPressed: Bool) -> [Effect] {
        guard Self.codes.contains(code), presence != .removed else { return [] }
        let ending = stopTalking()
        if isPressed {
            key = .down
            return ending + [ignored(code, "the press was not observed")]
        }
        return ending + letGo() + [ignored(code, "the release was not observed")]
    }

    mutating func refused(_ code: RefusalCode) -> [Effect] {
        guard talk == .asked else { return [] }
        talk = .idle
        return code == .transmissionNotAllowed ? oweRelease() : []
    }

    mutating func transmissionEnded(_ transmissionID: TransmissionID, _ cause: EndCause) -> [Effect] {
        guard talk == .talking(transmissionID) else { return [] }
        talk = .idle
        return cause == .timeLimit ? oweRelease() : []
    }

    mutating func deviceRemoved() -> [Effect] {
        guard presence != .removed else { return [] }
        let wasTalking = talk != .idle
        presence = .removed
        key = .up
        talk = .idle
        owesRelease = false
        return wasTalking ? [.end(.deviceRemoved)] : []
    }

    mutating func timerFired(at now: MonotonicTime) -> [Effect] {
        switch (presence, key) {
        case (.locked(let until), _):
            guard now >= until else { return [] }
            presence = .present
            return []
        case (.present, .touched(let code, let since)):
            guard now - since >= Self.shortestPress else { return [] }
            key = .down
            return pressed(code, at: now)
        case (.present, .up), (.present, .down), (.removed, _):
            return []
        }
    }

    /// A press that counts.
    private mutating func pressed(_ code: UInt16, at now: MonotonicTime) -> [Effect] {
        let last = toggles.last
        guard toggles.add(now) <= Self.toggleLimit else {
            return lock(at: now) + [ignored(code, "too often")]
        }
        switch talk {
        case .asked, .talking:
            return stopTalking() + [published(.pressed, code)]
        case .idle:
            if let last, now - last < Self.spacing { return [ignored(code, "too soon after the last press")] }
            talk = .asked
            return [.begin, published(.pressed, code)]
        }
    }

    private mutating func stopTalking() -> [Effect] {
        guard talk != .idle else { return [] }
        talk = .idle
        return [.end(.released)]
    }

    private mutating func letGo() -> [Effect] {
        key = .up
        guard owesRelease else { return [] }
        owesRelease = false
        return [.end(.released)]
    }

    /// The core requires a release before the next transmission. For a toggle that is the release of the key itself, not
    /// the second press.
    private mutating func oweRelease() -> [Effect] {
        owesRelease = true
        return key == .up ? letGo() : []
    }

    private mutating func lock(at now: MonotonicTime) -> [Effect] {
        presence = .locked(until: now + Self.silence)
        phantoms.forget()
        toggles.forget()
        return stopTalking()
    }

    private func published(_ kind: AccessoryEventKind, _ code: UInt16) -> Effect {
        .publish(AccessoryEvent(kind, device: device, value: Self.name(of: code)))
    }

    private func ignored(_ code: UInt16, _ reason: String) -> Effect {
        .publish(AccessoryEvent(.ignored, device: device, value: Self.name(of: code), remark: reason))
    }

    private static func name(of code: UInt16) -> String {
        switch code {
        case 164: "KEY_PLAYPAUSE"
        case 200: "KEY_PLAYCD"
        case 201: "KEY_PAUSECD"
        case 226: "KEY_MEDIA"
        case let code: "key \(code)"
        }
    }
}
