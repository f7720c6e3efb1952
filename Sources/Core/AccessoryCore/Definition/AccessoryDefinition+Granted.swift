import PTTMessages

extension AccessoryDefinition {
    /// The definition of one key that root has granted or a person has chosen, with what the first of these
    /// files, the best that match the device, says of it; without a file a key to hold.
    package static func granted(_ code: UInt16, as files: [AccessoryDefinition]) -> AccessoryDefinition {
        for file in files {
            guard case .keys(let input) = file.input, let meaning = input.meanings[code] else { continue }
            switch meaning {
            case .button, .tap:
                var granted = file
                granted.input = .keys(KeyInput(meanings: [code: meaning]))
                granted.examples = []
                return granted
            case .down, .up:
                // Its release is another key, which is not granted.
                break
            }
        }
        return AccessoryDefinition(
            identifier: "granted",
            name: "one key",
            confidence: .verified,
            match: AccessoryMatch(),
            input: .keys(KeyInput(meanings: [code: .button(.talk)])),
            gesture: GestureSettings(mode: .hold)
        )
    }
}
