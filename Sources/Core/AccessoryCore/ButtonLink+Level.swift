package import PTTMessages

extension ButtonLink {
    /// The button as it is shown.
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
            level == .held ? "it is held, and the press was not seen: let go of it" : nil
        case .waiting(attempt: _, until: _, let reason):
            "its notifications cannot be turned on yet: \(reason)"
        case .unused(let reason): reason
        }
    }

    mutating func valueNotified(_ value: [UInt8], at now: MonotonicTime) -> [Effect] {
        switch profile.decoder.reading(of: value) {
        case .meaningless(let why):
            return [ignored(value, why)]
        case .level(let isPressed, let note):
            return levelTold(isPressed, value, note, at: now)
        }
    }

    private mutating func levelTold(
        _ isPressed: Bool,
        _ value: [UInt8],
        _ note: String?,
        at now: MonotonicTime
    ) -> [Effect] {
        switch link {
        case .away:
            return [ignored(value, "it is not connected")]
        case .settling(let until) where now >= until:
            // The timer is late.
            settle()
            return edge(isPressed, value, note)
        case .connected, .subscribing, .waiting, .settling, .unused:
            let isLetGo = !isPressed && level != .released
            level = isPressed ? .held : .released
            return (isLetGo ? [.letGo] : []) + [
                ignored(value, isPressed ? "held while connecting" : "released while connecting", note)
            ]
        case .ready:
            return edge(isPressed, value, note)
        }
    }

    private mutating func edge(_ isPressed: Bool, _ value: [UInt8], _ note: String?) -> [Effect] {
        switch (level, isPressed) {
        case (.released, true):
            level = .pressed
            return [.begin, published(.pressed, value, note)]
        case (.pressed, false):
            level = .released
            return [.end(.released), published(.released, value, note)]
        case (.held, false), (.unknown, false):
            level = .released
            return [.letGo, ignored(value, "let go; the next press will be heard", note)]
        case (.unknown, true):
            level = .held
            return [ignored(value, "the press was not seen", note)]
        case (.pressed, true), (.held, true):
            return [ignored(value, "it is held already", note)]
        case (.released, false):
            return [ignored(value, "it is released already", note)]
        }
    }

    private func published(_ kind: AccessoryEventKind, _ value: [UInt8], _ note: String?) -> Effect {
        .publish(AccessoryEvent(kind, device: device, value: hexadecimal(value), remark: note))
    }

    private func ignored(_ value: [UInt8], _ why: String, _ note: String? = nil) -> Effect {
        let remark = [note, why].compactMap(\.self).joined(separator: ": ")
        return .publish(AccessoryEvent(.ignored, device: device, value: hexadecimal(value), remark: remark))
    }
}

/// The bytes for people, two digits each. An attribute may have 512 bytes; the first 20 tell a button's whole story.
func hexadecimal(_ value: [UInt8]) -> String {
    var text = ""
    for byte in value.prefix(20) {
        if !text.isEmpty { text += " " }
        text += String(hexadecimal: UInt64(byte), digits: 2)
    }
    return value.count > 20 ? text + " …" : text
}
