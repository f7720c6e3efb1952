import AccessoryCore
import PTTMessages

// What an accessory file does, in words.
extension Wording {
    static func lines(_ definition: AccessoryDefinition) -> [String] {
        var lines = [row("name", "\(definition.name), \(definition.confidence.rawValue)")]
        lines += definition.evidence.map { row("source", $0) }
        lines += definition.captures.map { row("capture", $0) }
        lines += matchRows(definition.match)
        switch definition.input {
        case .gatt(let inputs):
            lines.append(row("bond", bond(definition.connection.bonding)))
            lines += definition.connection.writes.map { row("writes", write($0)) }
            lines += inputs.map { row("input", "\(attribute($0.attribute)): \(text($0.decoder))") }
        case .serial(let input):
            lines.append(row("input", "serial port \(input.serviceClass.shortText): \(text(input.tokens))"))
        case .advertisements(let decoder): lines.append(row("input", "advertisements: \(text(decoder))"))
        case .keys(let input): lines.append(row("input", text(input)))
        }
        lines.append(row("mode", mode(definition)))
        if let led = definition.led { lines.append(row("led", "\(attribute(led.attribute))")) }
        if let battery = definition.battery { lines.append(row("battery", attribute(battery))) }
        return lines
    }

    static func line(_ failure: AccessoryDefinition.FailedStep) -> String {
        let expected = failure.example.steps[failure.step].outcomes.map(\.fileText)
        let outcomes = failure.outcomes.map(\.fileText)
        return
            "\"\(failure.example.title)\", step \(failure.step + 1): \(list(outcomes)) in place of \(list(expected))"
    }

    static func lines(_ reply: AccessoryInterface.ExplainReply, includesOthers: Bool) -> [String] {
        let facts: [(String, String?)] = [
            ("name", reply.name),
            ("address", reply.address.map { list([$0, text(reply.addressType)].compactMap(\.self)) }),
            ("transport", reply.transport), ("product", reply.product),
            ("services", reply.services?.joined(separator: ", ")),
            ("keys", reply.keys?.joined(separator: ", ")),
        ]
        var lines = facts.compactMap { heading, text in text.map { row(heading, $0) } }
        lines.append(row("file", reply.accessory ?? "none"))
        for file in reply.files where file.matches || includesOthers || reply.accessory == nil {
            let verdict =
                file.accessory == reply.accessory
                ? "is used" : file.matches ? "matches less well" : "does not match"
            lines.append("  \(file.accessory) \(verdict): \(file.reasons.joined(separator: "; "))")
        }
        return lines
    }

    /// A device that a scan has found.
    static func line(_ device: AccessoryInterface.Discovery) -> String {
        let details = [
            device.address, text(device.addressType), device.rssi.map { "\($0) dBm" },
            device.profile.map { "probably \($0)" }, device.key,
        ]
        return "\(device.name)  \(list(details.compactMap(\.self)))"
    }

    private static func text(_ type: AddressType?) -> String? {
        switch type {
        case .public?: "public"
        case .randomStatic?: "random static"
        case .privateResolvable?: "private: it changes, and the device must be bonded to be recognised again"
        case .privateNonResolvable?: "private: it changes, and the device cannot be recognised again"
        case .unknown?, nil: nil
        }
    }

    private static func list(_ texts: [String]) -> String {
        texts.isEmpty ? "nothing" : texts.joined(separator: ", ")
    }

    private static func matchRows(_ match: AccessoryMatch) -> [String] {
        let texts = match.conditions.map { "\($0.key) \($0.values.joined(separator: " or "))" }
        let excluded =
            match.excludedNames.isEmpty ? "" : "; not name \(match.excludedNames.joined(separator: " or "))"
        return [row("matches", texts.joined(separator: ", and ") + excluded)]
            + (match.hints.isEmpty
                ? [] : [row("suggested by", "name \(match.hints.joined(separator: " or "))")])
    }

    private static func bond(_ bonding: ConnectionPolicy.Bonding) -> String {
        switch bonding {
        case .never: "never"
        case .ifRequested: "if the accessory requests it"
        case .required: "always"
        }
    }

    private static func write(_ write: ConnectionPolicy.Write) -> String {
        switch write.change {
        case .value(let bytes): "\(bytes.hexadecimal.uppercased()) to \(attribute(write.attribute))"
        case .setBits(let bits): "the bits \(bits.hexadecimal.uppercased()) in \(attribute(write.attribute))"
        }
    }

    private static func mode(_ definition: AccessoryDefinition) -> String {
        let gesture = definition.gesture
        var text =
            switch definition.mode {
            case .toggle: "one press begins, the next ends"
            case .hold, .unknown: "talk while it is held"
            case .latch: "talk while it is held; after a tap, until the next press"
            }
        if gesture.shortestPress > .zero { text += "; shorter than \(gesture.shortestPress) does not count" }
        if let time = gesture.releaseAfter { text += "; released after \(time)" }
        return text
    }

    private static func attribute(_ attribute: GattAttribute) -> String {
        "\(attribute.service.shortText)/\(attribute.characteristic.shortText)"
    }

    private static func text(_ decoder: FrameDecoder) -> String {
        switch decoder {
        case .bytes(let patterns):
            return patterns.map { "\($0.bytes.hexadecimal.uppercased()) \(text($0.signals))" }
                .joined(separator: ", ")
        case .bits(let table):
            let bits = table.roles.sorted { $0.key < $1.key }.map {
                "bit \([$0.key].hexadecimal.uppercased()) \($0.value.fileText)"
            }
            return bits.joined(separator: ", ")
        case .tokens(let table): return text(table)
        }
    }

    private static func text(_ table: TokenTable) -> String {
        table.tokens.map { "\(String(decoding: $0.bytes, as: UTF8.self)) \(text($0.signals))" }
            .joined(separator: ", ")
    }

    private static func text(_ input: KeyInput) -> String {
        input.meanings.sorted { $0.key < $1.key }.map { code, meaning in
            "\(KeyName.name(of: code) ?? "\(code)") \(meaning.fileText)"
        }.joined(separator: ", ")
    }

    private static func text(_ signals: [Signal]) -> String {
        signals.isEmpty ? "battery" : signals.compactMap(\.fileText).joined(separator: " and ")
    }
}
