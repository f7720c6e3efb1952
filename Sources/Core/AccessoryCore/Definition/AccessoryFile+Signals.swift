package import PTTMessages

extension AccessoryFile {
    /// Checks that the presses and releases of all inputs together make sense.
    func checkSignals(of definition: AccessoryDefinition) throws(AccessoryFileProblem) {
        let signals = definition.input.signals
        let roles = Set(signals.flatMap(\.pressed))
        guard !roles.isEmpty else { throw Problem(["input"], "no value of the accessory is a press") }
        for role in ButtonRole.allRoles { try check(role, signals, definition.gesture) }
        switch definition.gesture.mode {
        case .hold, .latch: break
        case .toggle, .unknown, nil: return
        }
        if let role = roles.first(where: { $0.transmits && definition.isTapOnly($0) }) {
            throw Problem(
                ["gesture", "mode"],
                "\(role.fileText) never reports its release and cannot be held: write toggle"
            )
        }
    }

    private func check(
        _ role: ButtonRole,
        _ signals: Set<Signal>,
        _ gesture: GestureSettings
    ) throws(AccessoryFileProblem) {
        let isDown = signals.contains(.down(role))
        let isReleased = signals.contains(.up(role)) || signals.contains(.level([]))
        if isDown, !isReleased, gesture.releaseAfter == nil {
            throw Problem(
                ["input"],
                "\(role.fileText) goes down and never up: list its release, write tap, or set release-after"
            )
        }
        if role.transmits, isDown, !isReleased, gesture.mode == .latch {
            throw Problem(
                ["gesture", "mode"],
                "\(role.fileText) goes down and never up: a tap cannot be told from a hold, so it cannot latch"
            )
        }
        if signals.contains(.up(role)), !isDown, !signals.contains(.arm(role)) {
            throw Problem(["input"], "\(role.fileText) goes up and never down")
        }
        if signals.contains(.arm(role)) != signals.contains(.fire(role)) {
            throw Problem(["input"], "\(role.fileText) needs both arm and fire")
        }
        let isTapped = signals.contains(.tap(role)) || signals.contains(.arm(role))
        if role.transmits, isDown, isTapped, gesture.mode != .toggle {
            throw Problem(
                ["input"],
                "\(role.fileText) is held by one value and tapped by another: write mode = \"toggle\" in gesture"
            )
        }
    }
}

extension ButtonRole {
    static let allRoles = allCases.filter { $0 != .unknown }
}

extension AccessoryInput {
    /// The signals that the table of each input can give.
    var tables: [[Signal]] {
        switch self {
        case .gatt(let inputs): inputs.map(\.decoder.signals)
        case .serial(let input): [input.tokens.tokens.flatMap(\.signals)]
        case .advertisements(let decoder): [decoder.signals]
        case .keys(let input): [input.meanings.values.flatMap(\.signals)]
        }
    }

    var signals: Set<Signal> { Set(tables.joined()) }
}

extension FrameDecoder {
    /// Every signal that a listed value can have. A bit gives down and up.
    var signals: [Signal] {
        switch self {
        case .bytes(let patterns): patterns.flatMap(\.signals)
        case .bits(let table): table.roles.values.flatMap { [.down($0), .up($0)] }
        case .tokens(let table): table.tokens.flatMap(\.signals)
        }
    }
}

extension KeyInput.Meaning {
    /// The signals of its press and its release.
    var signals: [Signal] {
        switch self {
        case .button(let role): [.down(role), .up(role)]
        case .down(let role): [.down(role)]
        case .up(let role): [.up(role)]
        case .tap(let role): [.tap(role)]
        }
    }
}

extension Signal {
    /// The buttons that it presses.
    fileprivate var pressed: [ButtonRole] {
        switch self {
        case .down(let role), .tap(let role), .fire(let role): [role]
        case .level(let roles): Array(roles)
        case .up, .arm, .alive, .battery, .uncertain, .unknown: []
        }
    }
}

extension AccessoryDefinition {
    /// The buttons that it has.
    package var roles: Set<ButtonRole> { Set(input.signals.flatMap(\.pressed)) }

    /// The characteristics of its inputs, in their order; none unless the inputs are those of GATT.
    package var attributes: [GattAttribute] {
        if case .gatt(let inputs) = input { inputs.map(\.attribute) } else { [] }
    }

    /// Returns true if a button never reports its release.
    package func isTapOnly(_ role: ButtonRole) -> Bool {
        let signals = input.signals
        return !signals.contains(.down(role))
            && (signals.contains(.tap(role)) || signals.contains(.fire(role)))
    }

    /// The mode in which its talk button, or the first other one that transmits, controls the transmission
    /// unless a person chose otherwise.
    package var mode: ButtonMode {
        if let mode = gesture.mode { return mode }
        let transmitting = ButtonRole.allRoles.first { $0.transmits && roles.contains($0) }
        return transmitting.map { isTapOnly($0) } == true ? .toggle : .hold
    }
}
