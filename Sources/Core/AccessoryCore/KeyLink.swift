import PTTMessages

/// The readiness of an input device: it is there from the start, until it is removed.
struct KeyLink: Equatable, Sendable {
    private(set) var isRemoved = false

    mutating func remove() {
        isRemoved = true
    }

    var linkState: LinkState { isRemoved ? .away : .ready }

    static func name(of code: UInt16) -> String {
        switch code {
        case 164: "KEY_PLAYPAUSE"
        case 200: "KEY_PLAYCD"
        case 201: "KEY_PAUSECD"
        case 226: "KEY_MEDIA"
        case let code: "key \(code)"
        }
    }
}
