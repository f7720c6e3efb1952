import JSON
import PTTMessages
import Testing
import Varlink

@testable import ServiceClient

@Suite struct PressRequestTests {
    private static let origin = Origin(
        kind: .bluetoothButton,
        identifier: "00:11:22:33:44:55",
        name: "Button"
    )

    private func begin(
        _ origin: Origin,
        _ source: TransmitSource = .handsfreeButton,
        in channelID: ChannelID? = nil,
        role: ButtonRole = .talk
    ) -> ChannelInterface.BeginRequest {
        ChannelInterface.BeginRequest(channelID: channelID, source: source, origin: origin, role: role)
    }

    private func end(_ origin: Origin?, _ cause: EndCause? = .released, role: ButtonRole? = nil)
        -> ChannelInterface.EndRequest
    {
        ChannelInterface.EndRequest(channelID: nil, origin: origin, cause: cause, role: role)
    }

    /// How often each of the requests is encoded, if they are sent in this order.
    private func encodings<Request: SameText>(_ requests: [Request]) -> [Int] {
        var last = LastRequest<Request>()
        return requests.map { request in
            var count = 0
            _ = last.prepared(for: request) {
                count += 1
                return PreparedCall("a.b.C", [:])
            }
            return count
        }
    }

    @Test func `the same request is encoded once`() {
        #expect(encodings([begin(Self.origin), begin(Self.origin), begin(Self.origin)]) == [1, 0, 0])
        #expect(encodings([end(Self.origin), end(Self.origin)]) == [1, 0])
        #expect(encodings([end(nil, nil), end(nil, nil)]) == [1, 0])
    }

    @Test func `a request that differs in any sent value is encoded again`() {
        let renamed = Origin(kind: .bluetoothButton, identifier: "00:11:22:33:44:55", name: "Red button")
        let other = Origin(kind: .bluetoothButton, identifier: "00:11:22:33:44:56", name: "Button")
        let headset = Origin(kind: .wiredHeadset, identifier: "00:11:22:33:44:55", name: "Button")
        let channelID = ChannelID(randomBytes: (1, 2))
        for request in [
            begin(renamed), begin(other), begin(headset), begin(Self.origin, .userRequest),
            begin(Self.origin, in: channelID), begin(Self.origin, role: .emergency),
        ] {
            #expect(encodings([begin(Self.origin), request, begin(Self.origin)]) == [1, 1, 1])
        }
        for request in [
            end(renamed), end(nil), end(Self.origin, nil), end(Self.origin, .linkLost),
            end(Self.origin, role: .emergency),
        ] {
            #expect(encodings([end(Self.origin), request, end(Self.origin)]) == [1, 1, 1])
        }
    }

    @Test func `names that look alike and differ in their bytes are not the same`() {
        let composed = Origin(kind: .wiredHeadset, identifier: "jack", name: "Kn\u{F6}pf")
        let decomposed = Origin(kind: .wiredHeadset, identifier: "jack", name: "Kno\u{308}pf")
        #expect(encodings([begin(composed), begin(decomposed)]) == [1, 1])
    }

    @Test func `the usual answer to a press is read as Codable reads it`() throws {
        let usual: JSONObject = ["transmissionID": 7]
        #expect(ChannelInterface.BeginReply(usual: usual) == (try usual.decode()))
        let others: [JSONObject] = [
            [:], ["transmissionID": "7"], ["transmissionID": 7.5], ["transmissionID": nil],
            ["transmissionID": 7, "more": 1], ["transmissionid": 7],
        ]
        for other in others { #expect(ChannelInterface.BeginReply(usual: other) == nil) }
    }
}
