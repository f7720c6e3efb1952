import PTTMessages

extension AccessoryDefinition {
    /// The text of an accessory file that describes what learning finds out of this accessory: no sources, no
    /// settings of its connection, no lamp and no battery.
    package var fileText: String {
        let head = "name = \(quoted(name))\nconfidence = \(quoted(Confidence.learned.rawValue))\n"
        return head + matchText + inputText + gestureText + examples.map { exampleText($0) }.joined()
    }

    private var matchText: String {
        "\n[match]\n" + match.conditions.map { "\($0.key) = \(array($0.values))\n" }.joined()
    }

    private var inputText: String {
        switch input {
        case .gatt(let inputs):
            return inputs.map {
                "\n[[input]]\nservice = \(quoted($0.attribute.service.shortText))\n"
                    + "characteristic = \(quoted($0.attribute.characteristic.shortText))\n"
                    + decoderText($0.decoder)
            }.joined()
        case .serial(let input):
            return "\n[[input]]\nserial = \(quoted(input.serviceClass.shortText))\n\(tokenText(input.tokens))"
        case .advertisements(let decoder):
            return "\n[[input]]\nadvertisement = \"bthome\"\n\(decoderText(decoder))"
        case .keys(let input):
            let keys = input.meanings.sorted { $0.key < $1.key }.map { code, meaning in
                "\(KeyName.name(of: code) ?? "\(code)") = \(quoted(meaning.fileText))"
            }
            return "\n[[input]]\nkeys = { \(keys.joined(separator: ", ")) }\n"
        }
    }

    private func decoderText(_ decoder: FrameDecoder) -> String {
        switch decoder {
        case .bytes(let patterns):
            let texts = patterns.map { "\(quotedBytes($0.bytes, free: $0.free)) = \(meanings($0.signals))" }
            let key = patterns.contains(where: \.isWhole) ? "values" : "bytes"
            return "\(key) = { \(texts.joined(separator: ", ")) }\n"
        case .bits(let table):
            let texts = table.roles.sorted { $0.key < $1.key }.map {
                "\(quotedBytes([$0.key])) = \(quoted($0.value.fileText))"
            }
            let ignored = table.ignored == 0 ? "" : "ignore = \(quotedBytes([table.ignored]))\n"
            return "bits = { \(texts.joined(separator: ", ")) }\n\(ignored)"
        case .tokens(let table): return tokenText(table)
        }
    }

    private func tokenText(_ table: TokenTable) -> String {
        let texts = table.tokens.map { token in
            let signals = token.signals + (token.hasBattery ? [.battery(0)] : [])
            return "\(quoted(String(decoding: token.bytes, as: UTF8.self))) = \(meanings(signals))"
        }
        let stripped = table.stripped.isEmpty ? "" : "strip = \(quotedBytes(table.stripped.sorted()))\n"
        let others = table.othersRelease ? "others = \"released\"\n" : ""
        return "tokens = { \(texts.joined(separator: ", ")) }\n\(stripped)\(others)"
    }

    private var gestureText: String {
        guard gesture != GestureSettings() else { return "" }
        var text = "\n[gesture]\n"
        if let mode = gesture.mode { text += "mode = \(quoted(mode.rawValue))\n" }
        if gesture.shortestPress != .zero { text += "shortest-press = \(seconds(gesture.shortestPress))\n" }
        if let time = gesture.releaseAfter { text += "release-after = \(seconds(time))\n" }
        return text
    }

    private func exampleText(_ example: AccessoryExample) -> String {
        let steps = example.steps.map { step -> String in
            var keys: [String]
            switch step.action {
            case .notify(let bytes, let input):
                keys = ["send = \(quotedBytes(bytes))"] + (input == 0 ? [] : ["input = \(input + 1)"])
            case .receive(let bytes): keys = ["send = \(quoted(String(decoding: bytes, as: UTF8.self)))"]
            case .advertise(let bytes): keys = ["send = \(quotedBytes(bytes))"]
            case .key(let code, let isPressed):
                keys = [
                    "send = \(quoted("\(KeyName.name(of: code) ?? "\(code)") \(isPressed ? "down" : "up")"))"
                ]
            case .lose: keys = ["lose = true"]
            }
            if step.delay != .seconds(1) { keys.append("after = \(seconds(step.delay))") }
            keys.append("expect = \(array(step.outcomes.map(\.fileText)))")
            return "  { \(keys.joined(separator: ", ")) },\n"
        }
        return "\n[[example]]\ntitle = \(quoted(example.title))\nsteps = [\n\(steps.joined())]\n"
    }
}

extension AccessoryMatch {
    /// The keys that must hold, as an accessory file has them.
    package var conditions: [(key: String, values: [String])] {
        let lists: [(key: String, values: [String])] = [
            ("service", services.map(\.shortText)), ("name", names), ("address", addresses),
            ("product", products.map(\.text)), ("transport", transports.map(\.rawValue)),
        ]
        return lists.filter { !$0.values.isEmpty }
    }
}

private func meanings(_ signals: [Signal]) -> String {
    let texts = signals.compactMap(\.fileText)
    return texts.count == 1 ? quoted(texts[0]) : array(texts)
}

private func array(_ texts: [String]) -> String { "[\(texts.map { quoted($0) }.joined(separator: ", "))]" }

private func quotedBytes(_ bytes: [UInt8], free: Set<Int> = []) -> String {
    let texts = bytes.enumerated().map { index, byte in
        free.contains(index) ? "??" : String(hexadecimal: UInt64(byte), digits: 2).uppercased()
    }
    return quoted(texts.joined(separator: " "))
}

private func seconds(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    return "\(Double(seconds) + Double(attoseconds) / 1e18)"
}

private func quoted(_ text: String) -> String { text.quotedForTOML }

extension String {
    /// A basic string (https://toml.io/en/v1.0.0#string).
    package var quotedForTOML: String {
        var result = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\u{20}"..."\u{7E}", "\u{A0}"...: result.unicodeScalars.append(scalar)
            default: result += "\\u" + String(hexadecimal: UInt64(scalar.value), digits: 4)
            }
        }
        return result + "\""
    }
}

extension KeyInput.Meaning {
    package var fileText: String {
        switch self {
        case .button(let role): role.fileText
        case .down(let role): "\(role.fileText) down"
        case .up(let role): "\(role.fileText) up"
        case .tap(let role): "\(role.fileText) tap"
        }
    }
}

extension AccessoryExample.Step.Outcome {
    package var fileText: String {
        switch self {
        case .begin(let role): "begin \(role.fileText)"
        case .end(let role): "end \(role.fileText)"
        case .press(let role): "press \(role.fileText)"
        case .release(let role): "release \(role.fileText)"
        }
    }
}
