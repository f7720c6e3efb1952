import FoundationEssentials
import SwiftProtobuf
import Testing

@testable import MumbleCore

/// Messages of hostile members about the floor.
@Suite struct HostileFloorTests {
    @Test func `grants and denials that were not asked for, or of strangers, are nothing`() throws {
        var test = try GrantedFloor.joined([4, 6, 12])
        _ = test.say(GrantedFloor.person(5, channel: 0))
        #expect(
            test.say(GrantedFloor.says(4, .granted), GrantedFloor.says(4, .denied, holder: 20)) == []
        )
        _ = test.session.transmissionBegan(test.now)
        _ = test.session.say(TestSession.packet, test.now)
        #expect(
            test.say(
                GrantedFloor.says(6, .granted),
                GrantedFloor.says(5, .granted),
                GrantedFloor.says(20, .granted),
                GrantedFloor.says(77, .granted),
                GrantedFloor.says(9, .granted),
                GrantedFloor.says(4, .granted, 2),
                GrantedFloor.says(6, .denied, holder: 20),
                GrantedFloor.says(4, .denied, 2, holder: 20),
                // Of somebody who is not here, and of ourselves.
                GrantedFloor.says(4, .denied, holder: 5),
                GrantedFloor.says(4, .denied, holder: 77),
                GrantedFloor.says(4, .denied, holder: 9)
            ) == []
        )
        #expect(!test.session.hasFloor)
        #expect(try GrantedFloor.sent(test.say(GrantedFloor.says(4, .granted))) == 1)
    }

    @Test func `who denies for somebody who is not heard is not asked for a minute`() throws {
        var test = try GrantedFloor.joined([4, 6])
        _ = test.session.transmissionBegan(test.now)
        #expect(test.say(GrantedFloor.says(4, .denied, holder: 20)) == [.denied(session: 20)])
        _ = test.session.transmissionEnded()
        _ = test.say(.ping(WirePing()))
        _ = test.run(FloorControl.promiseLimit)
        #expect(try GrantedFloor.floor(test.session.transmissionBegan(test.now)).map(\.to) == [6])
        #expect(test.say(GrantedFloor.says(6, .denied, 2, holder: 20)) == [.denied(session: 20)])
        _ = test.say(GrantedFloor.voice(20))
        _ = test.session.transmissionEnded()
        _ = test.say(.ping(WirePing()))
        _ = test.run(FloorControl.promiseLimit)
        #expect(try GrantedFloor.floor(test.session.transmissionBegan(test.now)).map(\.to) == [6])
    }

    @Test func `a flood of requests is answered as often as the server passes answers on`() throws {
        var test = try GrantedFloor.joined([12, 13])
        var count = 0
        for step in 0..<4000 {
            count += try GrantedFloor.floor(
                test.say(GrantedFloor.says(step.isMultiple(of: 2) ? 12 : 13, .request, UInt32(step)))
            ).count
            _ = test.run(.milliseconds(5))
        }
        // In 20 seconds.
        #expect(60...75 ~= count)
    }

    @Test func `other versions, kinds and sizes are passed over`() throws {
        var test = try GrantedFloor.joined()
        let request = FloorMessage(kind: .request, sequence: 1).data
        let damaged = [
            [], Array(request.dropLast()), request + [0], [2] + request.dropFirst(),
            [1, 2] + request.dropFirst(2),
            [UInt8](repeating: 1, count: 1000),
        ]
        for data in damaged {
            #expect(FloorMessage(data) == nil)
            let message = WirePluginDataTransmission.with {
                $0.senderSession = 12
                $0.dataID = FloorMessage.identifier
                $0.data = Data(data)
            }
            #expect(test.say(.pluginData(message)) == [])
        }
        let other = WirePluginDataTransmission.with {
            $0.senderSession = 12
            $0.dataID = "other"
            $0.data = Data(request)
        }
        #expect(test.say(.pluginData(other)) == [])
    }

    @Test func `whatever members say, a press is sent or denied within 400 milliseconds`() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            var test = try GrantedFloor.joined([4, 6, 12])
            _ = test.session.transmissionBegan(test.now)
            _ = test.session.say(TestSession.packet, test.now)
            var isDenied = false
            for _ in 0..<20 {
                let sender = [UInt32](arrayLiteral: 4, 6, 9, 12, 20, 77).randomElement(using: &random) ?? 4
                let kind =
                    [FloorMessage.Kind.request, .granted, .denied].randomElement(using: &random) ?? .request
                let message = GrantedFloor.says(
                    sender,
                    kind,
                    UInt32.random(in: 0...2, using: &random),
                    holder: [4, 9, 20, 77].randomElement(using: &random) ?? 4
                )
                if test.say(message).contains(where: { if case .denied = $0 { true } else { false } }) {
                    isDenied = true
                }
                if Int.random(in: 0..<9, using: &random) == 0 {
                    _ = test.say(.userRemove(.with { $0.session = 4 }))
                }
                _ = test.run(.milliseconds(20))
            }
            #expect(isDenied || test.session.hasFloor)
            #expect(test.session.outgoing.deadline == nil)
        }
    }
}
