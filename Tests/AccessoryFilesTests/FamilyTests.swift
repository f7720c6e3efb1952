import AccessoryCore
import PTTMessages
import TestSupport
import Testing

/// Guarantees that no shipped file weakens.
@Suite struct FamilyTests {
    @Test(arguments: try ShippedAccessories.all().map(\.identifier))
    func `the recordings of a file have the expected outcomes`(_ identifier: String) throws {
        for failure in try ShippedAccessories.file(identifier).failedExamples() {
            let outcomes = failure.outcomes.map(\.fileText)
            Issue.record("\(identifier), \(failure.example.title), step \(failure.step + 1): \(outcomes)")
        }
    }

    @Test(arguments: try ShippedAccessories.all().map(\.identifier))
    func `no sequence of four frames begins without a listed press or outlives a loss`(_ identifier: String)
        throws
    {
        let file = try ShippedAccessories.file(identifier)
        let frames = Alphabet(file).frames
        var sequences = 0
        func explore(_ checked: CheckedRun, depth: Int) throws {
            sequences += 1
            guard depth > 0 else { return }
            for frame in frames {
                var next = checked
                try next.send(frame)
                try explore(next, depth: depth - 1)
            }
        }
        try explore(CheckedRun(file), depth: 4)
        #expect(sequences > 100)
    }

    @Test(arguments: try ShippedAccessories.all().map(\.identifier))
    func `no random frames begin without a listed press or outlive a loss`(_ identifier: String) throws {
        let file = try ShippedAccessories.file(identifier)
        var random = Alphabet(file)
        var run = CheckedRun(file)
        for _ in 0..<30_000 { try run.send(random.next()) }
        try run.send(.lose)
    }
}

/// The actions of an accessory: each frame that its file lists, a few that it does not list, and the loss of
/// its link.
private struct Alphabet {
    let frames: [AccessoryExample.Step.Action]
    private let file: AccessoryDefinition
    private var generator = SplitMix(state: 1)

    init(_ file: AccessoryDefinition) {
        self.file = file
        var frames: [AccessoryExample.Step.Action] = [.lose]
        switch file.input {
        case .gatt(let inputs):
            for (index, input) in inputs.enumerated() {
                frames += Self.values(input.decoder).map { .notify($0, input: index) }
            }
        case .serial(let input):
            frames += input.tokens.tokens.map { .receive($0.bytes) }
            frames += [.receive([0, 0x2B]), .receive([0x0D, 0x0A])]
        case .advertisements(let decoder):
            for (index, value) in Self.values(decoder).enumerated() {
                let button = value.first.map { Int($0) } ?? 0
                let events = Array(repeating: UInt8(0), count: min(button, 8)) + [value.last ?? 0]
                let data = BTHome.serviceData(packet: UInt8(index), events: Array(events.dropFirst()))
                frames.append(.advertise(data))
            }
        case .keys(let input):
            for code in input.meanings.keys.sorted() {
                frames += [.key(code, isPressed: true), .key(code, isPressed: false)]
            }
            frames.append(.key(1, isPressed: true))
        }
        self.frames = frames
    }

    private static func values(_ decoder: FrameDecoder) -> [[UInt8]] {
        let others: [[UInt8]] = [[0x00], [0x7F], []]
        switch decoder {
        case .bytes(let patterns): return patterns.map(\.bytes) + others
        case .tokens(let table): return table.tokens.map(\.bytes) + others
        case .bits(let table):
            let known = table.roles.keys.sorted()
            return known.map { [$0] } + [[known.reduce(table.ignored, |)]] + others
        }
    }

    /// Mostly something that is listed, else random bytes, cut anywhere.
    mutating func next() -> AccessoryExample.Step.Action {
        let frame = frames[Int.random(in: 0..<frames.count, using: &generator)]
        guard Int.random(in: 0..<3, using: &generator) == 0 else { return frame }
        let bytes = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
            UInt8.random(in: 0...255, using: &generator)
        }
        switch frame {
        case .notify(let value, let input):
            let isCut = Bool.random(using: &generator)
            return .notify(isCut ? Array(value.dropLast()) : bytes, input: input)
        case .receive(let value):
            return .receive(Bool.random(using: &generator) ? Array(value.dropLast()) : bytes)
        case .advertise(let data):
            return .advertise(Bool.random(using: &generator) ? Array(data.dropLast()) : bytes)
        case .key:
            return .key(
                UInt16.random(in: 0...767, using: &generator),
                isPressed: Bool.random(using: &generator)
            )
        case .lose: return frame
        }
    }
}

/// A run whose rules are checked with each frame.
private struct CheckedRun {
    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    private let file: AccessoryDefinition
    private var run: ExampleRun
    /// Bytes of a stream that may be the begin of a token.
    private var recent: [UInt8] = []
    private var sent: [AccessoryExample.Step.Action] = []
    /// Buttons whose press counts only after a while: it may begin during the time before the next frame.
    private var touched: Set<ButtonRole> = []

    init(_ file: AccessoryDefinition) {
        self.file = file
        run = ExampleRun(file)
    }

    mutating func send(_ frame: AccessoryExample.Step.Action) throws {
        sent = sent.suffix(8) + [frame]
        let before = run.transmission?.role
        let (pressed, released) = listed(frame)
        let allowed = pressed.union(touched)
        touched = file.gesture.shortestPress > .zero ? pressed : []
        let outcomes = run.perform(frame, after: .milliseconds(600))
        var current = before
        for outcome in outcomes {
            switch outcome {
            case .begin(let role):
                guard current == nil else { throw violation("begins a second transmission") }
                guard allowed.contains(role) else {
                    throw violation("begins \(role.fileText) without a press")
                }
                current = role
            case .end(let role):
                guard current == role else { throw violation("ends what does not last") }
                current = nil
            case .press, .release: break
            }
        }
        guard current == run.transmission?.role else { throw violation("loses count") }
        if frame == .lose, current != nil { throw violation("outlives a loss") }
        if let current, released.contains(current), before == current, file.mode == .hold {
            throw violation("outlives the release of \(current.fileText)")
        }
    }

    private func violation(_ text: String) -> Violation {
        Violation(description: "\(file.identifier) \(text) after \(sent)")
    }

    /// Which buttons a frame may press, and which it releases, by the tables of the file and not by its
    /// decoder.
    private mutating func listed(_ frame: AccessoryExample.Step.Action) -> (Set<ButtonRole>, Set<ButtonRole>)
    {
        switch (frame, file.input) {
        case (.notify(let value, let index), .gatt(let inputs)):
            return Self.listed(value, inputs[index].decoder)
        case (.receive(let bytes), .serial(let input)):
            let text = recent + bytes.filter { !input.tokens.stripped.contains($0) }
            recent = text.suffix(64)
            var pressed: Set<ButtonRole> = []
            for token in input.tokens.tokens where Self.has(text, token.bytes) {
                pressed.formUnion(Self.pressed(token.signals))
            }
            return (pressed, [])
        case (.advertise(let data), .advertisements(.bytes(let patterns))):
            // Of any button: an object before it may have the same number.
            let events = zip(data, data.dropFirst()).filter { $0.0 == 0x3A }.map(\.1)
            let found = patterns.filter { pattern in pattern.bytes.last.map(events.contains) ?? false }
            return (Set(found.flatMap { Self.pressed($0.signals) }), [])
        case (.key(let code, let isPressed), .keys(let input)):
            switch input.meanings[code] {
            // A press that is short counts at its release.
            case .button(let role): return ([role], isPressed ? [] : [role])
            case .down(let role), .tap(let role): return (isPressed ? [role] : [], [])
            case .up(let role): return ([], isPressed ? [role] : [])
            case nil: return ([], [])
            }
        case (.lose, _):
            recent = []
            return ([], [])
        default: return ([], [])
        }
    }

    private static func listed(_ value: [UInt8], _ decoder: FrameDecoder) -> (
        Set<ButtonRole>, Set<ButtonRole>
    ) {
        switch decoder {
        case .bytes(let patterns):
            let all = Set(patterns.flatMap { pressed($0.signals) })
            if !value.isEmpty, value.allSatisfy({ $0 == 0 }) { return ([], all) }
            let found = patterns.filter { value.starts(with: $0.bytes) }
            // What is not listed may be any release.
            return (Set(found.flatMap { pressed($0.signals) }), found.isEmpty ? all : [])
        case .bits(let table):
            guard let byte = value.first else { return ([], []) }
            let pressed = Set(table.roles.filter { byte & $0.key != 0 }.values)
            return (pressed, Set(table.roles.values).subtracting(pressed))
        case .tokens(let table):
            let text = value.filter { !table.stripped.contains($0) }
            return (Set(table.tokens.filter { has(text, $0.bytes) }.flatMap { pressed($0.signals) }), [])
        }
    }

    /// The `contains` of the standard library prepares a search for each text, which takes half of the test.
    private static func has(_ text: [UInt8], _ token: [UInt8]) -> Bool {
        text.indices.contains { text[$0...].starts(with: token) }
    }

    private static func pressed(_ signals: [Signal]) -> [ButtonRole] {
        signals.compactMap { signal in
            switch signal {
            case .down(let role), .tap(let role), .fire(let role): role
            case .up, .arm, .level, .alive, .battery, .uncertain, .unknown: nil
            }
        }
    }
}
