package import PTTMessages

extension ButtonLink {
    /// The button as it is listed.
    package var device: AccessoryDevice {
        AccessoryDevice(
            kind: origin.kind,
            identifier: origin.identifier,
            name: origin.name,
            profile: profile.name,
            mode: profile.mode,
            link: linkState,
            isPressed: level == .pressed || level == .held,
            remark: remark
        )
    }

    private var linkState: LinkState {
        switch link {
        case .away: .away
        case .connected, .subscribing, .waiting, .settling: .connecting
        case .ready: .ready
        case .unused: .unused
        }
    }

    private var remark: String? {
        switch link {
        case .away(let remark): remark
        case .connected, .subscribing, .settling, .ready:
            level == .held ? "it is pressed, but the press was not observed: release it" : nil
        case .waiting(attempt: _, until: _, let reason):
            "its notifications cannot be turned on yet: \(reason)"
        case .unused(let reason): reason
        }
    }

    mutating func valueNotified(_ value: [UInt8], at now: MonotonicTime) -> [Effect] {
        switch profile.decoder.reading(of: value) {
        case .meaningless(let reason):
            return [ignored(value, reason)]
        case .level(let isPressed, let note):
            return levelReceived(isPressed, value: value, note: note, at: now)
        }
    }

    private mutating func levelReceived(
        _ isPressed: Bool,
        value: [UInt8],
        note: String?,
        at now: MonotonicTime
    ) -> [Effect] {
        switch link {
        case .away:
            return [ignored(value, "it is not connected")]
        case .settling(let until) where now >= until:
            // The timer is late.
            settle()
            return edge(isPressed, value: value, note: note)
        case .connected, .subscribing, .waiting, .settling, .unused:
            let isLetGo = !isPressed && level != .released
            level = isPressed ? .held : .released
            return (isLetGo ? [.letGo] : []) + [
                ignored(
                    value,
                    isPressed ? "pressed while connecting" : "released while connecting",
                    note: note
                )
            ]
        case .ready:
            return edge(isPressed, value: value, note: note)
        }
    }

    private mutating func edge(_ isPressed: Bool, value: [UInt8], note: String?) -> [Effect] {
        switch (level, isPressed) {
        case (.released, true):
            level = .pressed
            return [.begin, published(.pressed, value, note: note)]
        case (.pressed, false):
            level = .released
            return [.end(.released), published(.released, value, note: note)]
        case (.held, false), (.unknown, false):
            level = .released
            return [.letGo, ignored(value, "released; the next press counts", note: note)]
        case (.unknown, true):
            level = .held
            return [ignored(value, "the press was not observed", note: note)]
        case (.pressed, true), (.held, true):
            return [ignored(value, "already pressed", note: note)]
        case (.released, false):
            return [ignored(value, "already released", note: note)]
        }
    }

    private func published(_ kind: AccessoryEventKind, _ value: [UInt8], note: String?) -> Effect {
        .publish(AccessoryEvent(kind, device: device, value: hexadecimal(value), remark: note))
    }

    private func ignored(_ value: [UInt8], _ reason: String, note: String? = nil) -> Effect {
        let remark = [note, reason].compactMap(\.self).joined(separator: ": ")
        return .publish(AccessoryEvent(.ignored, device: device, value: hexadecimal(value), remark: remark))
    }
}

/// The bytes for people, two digits each. An attribute may have 512 bytes; for a button the first 20 are enough.
func hexadecimal(_ value: [UInt8]) -> String {
    var text = ""
    for byte in value.prefix(20) {
        if !text.isEmpty { text += " " }
        text += String(hexadecimal: UInt64(byte), digits: 2)
    }
    return value.count > 20 ? text + " …" : text
}
