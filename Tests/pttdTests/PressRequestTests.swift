import JSON
import PTTMessages
import TestSupport
import Testing

@testable import pttd

/// The requests of a button, read by hand, against the same read by the decoder.
@Suite struct PressRequestTests {
    @Test func `the requests of a button are read without the decoder`() throws {
        for kind in OriginKind.allCases {
            let origin = Origin(kind: kind, identifier: "00:11:22:33:44:55", name: "Knöpfchen \"1\"")
            for source in TransmitSource.allCases {
                for role in ButtonRole.allCases {
                    let request = ChannelInterface.BeginRequest(
                        channelID: nil,
                        source: source,
                        origin: origin,
                        role: role
                    )
                    #expect(
                        ChannelInterface.BeginRequest(usual: .encoding(request)) == request
                    )
                }
            }
            for cause in EndCause.allCases {
                for role in [nil] + ButtonRole.allCases.map({ $0 }) {
                    let request = ChannelInterface.EndRequest(
                        channelID: nil,
                        origin: origin,
                        cause: cause,
                        role: role
                    )
                    #expect(ChannelInterface.EndRequest(usual: .encoding(request)) == request)
                }
            }
        }
    }

    @Test func `reading by hand and by the decoder give the same`() throws {
        var random = Lottery()
        var (read, left) = (0, 0)
        for _ in 0..<20_000 {
            let parameters = random.request()
            if let request = ChannelInterface.BeginRequest(usual: parameters) {
                let decoded = try parameters.decode(ChannelInterface.BeginRequest.self)
                #expect(request == decoded && request.origin.name == decoded.origin.name, "\(parameters)")
                read += 1
            } else if let request = ChannelInterface.EndRequest(usual: parameters) {
                let decoded = try parameters.decode(ChannelInterface.EndRequest.self)
                #expect(request == decoded && request.origin?.name == decoded.origin?.name, "\(parameters)")
                read += 1
            } else {
                left += 1
            }
        }
        #expect(read > 1000 && left > 1000)
    }
}

/// Generates requests as buttons send them, some with an error or two.
private struct Lottery: RandomNumberGenerator {
    private var numbers = SplitMix(state: 0x5EED)

    mutating func next() -> UInt64 { numbers.next() }

    mutating func request() -> JSONObject {
        var origin = members(["kind": kind(), "identifier": text(), "name": text()])
        spoil(&origin)
        let last: (String, JSON) = Bool.random(using: &self) ? ("source", source()) : ("cause", cause())
        var request = members([last.0: last.1, "origin": .object(origin)])
        if next() % 3 == 0 { request["role"] = value(ButtonRole.self) }
        spoil(&request)
        return request
    }

    private mutating func members(_ members: [String: JSON]) -> JSONObject {
        var object = JSONObject()
        for (key, value) in members.sorted(by: { $0.key < $1.key }).shuffled(using: &self) {
            object[key] = value
        }
        return object
    }

    private mutating func spoil(_ object: inout JSONObject) {
        let keys = [
            "kind", "identifier", "name", "source", "cause", "origin", "role", "channelID", "", "Source",
            "sourc\u{435}",
            "na\u{301}me",
        ]
        while next() % 4 == 0 {
            let key = keys[Int(next() % UInt64(keys.count))]
            object[key] = next() % 3 == 0 ? nil : value()
        }
    }

    private mutating func value() -> JSON {
        switch next() % 9 {
        case 0: nil
        case 1: true
        case 2: 7
        case 3: 0.5
        case 4: []
        case 5: [:]
        case 6: .string("01234567-89AB-CDEF-0123-456789ABCDEF")
        case 7: cause()
        case _: text()
        }
    }

    private mutating func text() -> JSON {
        .string(
            ["", "x", "Kn\u{F6}pf", "Kno\u{308}pf", "\0\n\"", "A4:C1:38:00:00:01"].randomElement(using: &self)
                ?? ""
        )
    }

    private mutating func kind() -> JSON { value(OriginKind.self) }
    private mutating func source() -> JSON { value(TransmitSource.self) }
    private mutating func cause() -> JSON { value(EndCause.self) }

    private mutating func value<Value: WireEnum>(_: Value.Type) -> JSON {
        let value = Value.allCases.randomElement(using: &self)?.rawValue ?? ""
        return .string(next() % 6 == 0 ? value + "s" : value)
    }
}
