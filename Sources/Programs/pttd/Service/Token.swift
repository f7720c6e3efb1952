import PTTMessages

/// Bearer tokens: who presents one is admitted. A call token admits once, an audio token one connection at a
/// time.
enum Token {
    /// - Parameter words: How many random words of 64 bits the token has.
    /// - Returns: 16 hexadecimal digits for each word.
    static func random(words: ClosedRange<Int> = 2...2) -> String {
        var generator = SystemRandomNumberGenerator()
        var text = ""
        for _ in 0..<Int.random(in: words, using: &generator) {
            text += String(hexadecimal: generator.next(), digits: 16)
        }
        return text
    }
}

extension PushToken {
    /// Of varying length, as Apple's documentation of `receivedEphemeralPushToken` promises.
    static func random() -> PushToken { PushToken(rawValue: Token.random(words: 4...6)) }
}

extension ChannelID {
    static func random() -> ChannelID {
        var generator = SystemRandomNumberGenerator()
        return ChannelID(randomBytes: (generator.next(), generator.next()))
    }
}
