import AccessoryCore
import AccessoryFiles
import EventLoop
import JSON
import PTTMessages
import TestSupport
import Testing
import Varlink

@Suite(.serialized) struct PairingTests {
    init() { withRunningLoop() }

    /// A call of `PairAndTest`.
    @EventLoop
    private final class Call {
        enum Answer: Sendable {
            case step(AccessoryInterface.PairAndTestReply)
            case failure(String, reason: String)
        }

        nonisolated let answers = AsyncQueue(of: Answer.self)
        private let client: VarlinkClient

        init(_ fixture: AccessoryFixture, _ address: String = first, seconds: Int = 20) throws {
            client = try fixture.client()
            let answers = answers
            let parameters: JSONText = [
                "address": .string(address), "seconds": .int(Int64(seconds)),
            ]
            client.subscribe("\(AccessoryInterface.name).PairAndTest", parameters, timeLimit: .seconds(60)) {
                answer,
                _ in
                switch answer {
                case .success(let parameters):
                    do {
                        answers.add(.step(try parameters.decode()))
                    } catch {
                        Issue.record(error)
                    }
                case .failure(.answered(let error)):
                    answers.add(.failure(error.name, reason: error.parameters["reason"]?.string ?? ""))
                case .failure(let error): answers.add(.failure("\(error)", reason: ""))
                }
            }
        }

        @discardableResult
        func reaches(_ step: PairingStep) async throws -> AccessoryInterface.PairAndTestReply {
            try await answers.firstValue { answer in
                switch answer {
                case .step(let reply): return reply.step == step ? reply : nil
                case .failure(let name, let reason): throw FixtureError("\(name): \(reason)")
                }
            }
        }

        func failure() async throws -> (name: String, reason: String) {
            try await answers.firstValue {
                if case .failure(let name, let reason) = $0 { (name: name, reason: reason) } else { nil }
            }
        }

        func close() { client.close() }
    }

    @Test(arguments: ["ffe0", "aina", "nordic-led-button"]) @EventLoop
    func `a button is enrolled after one press and release, which transmit nothing`(kind: String) async throws
    {
        let fixture = try await AccessoryFixture.start(buttons: [kind], known: false)
        _ = try await fixture.scan()
        let call = try Call(fixture)
        defer { call.close() }
        let waiting = try await call.reaches(.waitingForPress)
        #expect(waiting.device?.remark == "not enrolled yet")
        try await fixture.simulate("press")
        try await call.reaches(.waitingForRelease)
        try await fixture.simulate("release")
        try await call.reaches(.tested)
        try fixture.enrol()
        #expect(try await call.reaches(.enrolled).device?.link == .ready)
        try await fixture.simulate("press")
        // The first request: there was none for the press of the test.
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        try await fixture.simulate("release")
        #expect(try await fixture.asked() == .end(first, .released))
    }

    @Test @EventLoop func `without a press in time nothing is enrolled, and the reason says what to do`()
        async throws
    {
        let fixture = try await AccessoryFixture.start(known: false)
        _ = try await fixture.scan()
        let call = try Call(fixture, seconds: 1)
        let failure = try await call.failure()
        #expect(failure.name == AccessoryInterface.testFailed)
        #expect(failure.reason.hasPrefix("no press of its talk button arrived in time"))
        let device = try await fixture.events.first { $0.device?.remark?.hasPrefix("not enrolled: ") == true }
            .device
        #expect(device?.link == .unused)
    }

    @Test @EventLoop func `a press without a release does not arm a button`() async throws {
        let fixture = try await AccessoryFixture.start(known: false)
        _ = try await fixture.scan()
        let call = try Call(fixture, seconds: 3)
        try await call.reaches(.waitingForPress)
        try await fixture.simulate("press")
        let failure = try await call.failure()
        #expect(failure.name == AccessoryInterface.testFailed)
        #expect(failure.reason.hasPrefix("a press arrived, but no release"))
    }

    @Test @EventLoop func `a link that is lost during the press needs another press`() async throws {
        let fixture = try await AccessoryFixture.start(known: false)
        _ = try await fixture.scan()
        let call = try Call(fixture)
        defer { call.close() }
        try await call.reaches(.waitingForPress)
        try await fixture.ready()
        try await fixture.simulate("press")
        try await call.reaches(.waitingForRelease)
        try await fixture.simulate("sleep")
        try await call.reaches(.waitingForPress)
        try await fixture.simulate("wake")
        _ = try await fixture.events.first { $0.device?.link == .away }
        try await fixture.ready()
        // It is still down when it returns.
        try await fixture.simulate("release")
        try await fixture.simulate("press")
        try await call.reaches(.waitingForRelease)
        try await fixture.simulate("release")
        try await call.reaches(.tested)
    }

    @Test @EventLoop func `a client that goes away ends the test, and another one may pair`() async throws {
        let fixture = try await AccessoryFixture.start(known: false)
        _ = try await fixture.scan()
        let call = try Call(fixture)
        try await call.reaches(.waitingForPress)
        let second = try Call(fixture)
        let failure = try await second.failure()
        #expect(failure.reason == "another device is being paired: wait until that is done")
        call.close()
        _ = try await fixture.events.first { $0.device?.remark?.hasPrefix("not enrolled: ") == true }
        let third = try Call(fixture)
        defer { third.close() }
        try await third.reaches(.waitingForPress)
    }

    @Test @EventLoop func `an enrolled button that is tested again transmits nothing meanwhile`() async throws
    {
        let fixture = try await AccessoryFixture.start()
        try await fixture.ready()
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
        let call = try Call(fixture)
        defer { call.close() }
        // During the test it has no permission.
        #expect(try await fixture.asked() == .end(first, .stopped))
        try await call.reaches(.waitingForPress)
        try await fixture.simulate("release")
        try await fixture.simulate("press")
        try await call.reaches(.waitingForRelease)
        try await fixture.simulate("release")
        // It is enrolled already.
        try await call.reaches(.enrolled)
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
    }

    /// The services of one that was never connected are not known.
    @Test(arguments: [true, false]) @EventLoop
    func `a serial microphone is enrolled after one press and release as well`(known: Bool) async throws {
        let fixture = try await AccessoryFixture.start(
            buttons: [],
            microphones: ["serial-ptt:SPP-MIC"],
            known: known,
            enrolled: false
        )
        if !known { _ = try await fixture.scan() }
        let identity = AccessoryFixture.address(ofMicrophone: 1)
        let address = try #require(identity.bluetoothAddress)
        let call = try Call(fixture, address)
        defer { call.close() }
        try await call.reaches(.waitingForPress)
        try await fixture.simulate("press")
        try await call.reaches(.waitingForRelease)
        try await fixture.simulate("release")
        try await call.reaches(.tested)
        try fixture.enrol([Enrolment(identity)])
        #expect(try await call.reaches(.enrolled).device?.kind == .serialMicrophone)
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(address, .serialMicrophone))
    }

    @Test @EventLoop func `bad parameters are refused`() async throws {
        let fixture = try await AccessoryFixture.start(known: false)
        for parameters: JSONText in [
            ["address": "nonsense", "seconds": 5], ["address": .string(first), "seconds": 0],
            ["address": .string(first), "seconds": 5, "mode": "sideways"],
        ] {
            #expect(
                try await fixture.failure("PairAndTest", parameters) == "org.varlink.service.InvalidParameter"
            )
        }
        let parameters: JSONText = ["address": .string(first), "seconds": 5]
        #expect(try await fixture.failure("PairAndTest", parameters) == "org.varlink.service.ExpectedMore")
    }

    @Test @EventLoop func `a button that hides its address is bonded, and enrolled by its identity`()
        async throws
    {
        let fixture = try await AccessoryFixture.start(buttons: ["aina"], known: false)
        try await fixture.simulate("hide")
        let found = try await fixture.scan()
        #expect(found.address == hidden)
        #expect(found.addressType == .privateResolvable)
        let reply: AccessoryInterface.PairReply = try await fixture.call("Pair", ["address": .string(hidden)])
        #expect(reply.device.identifier == first)
        try fixture.enrol()
        // Without a remark it is enrolled: pairing makes it ready as well.
        _ = try await fixture.events.first { $0.device?.link == .ready && $0.device?.remark == nil }
        let list: AccessoryInterface.DevicesReply = try await fixture.call("GetDevices")
        #expect(list.devices.map(\.identifier) == [first])
        try await fixture.simulate("press")
        #expect(try await fixture.asked() == .begin(first, .bluetoothButton))
    }

    @Test @EventLoop func `a button that hides its address and cannot be bonded is refused`() async throws {
        let fixture = try await AccessoryFixture.start(buttons: ["itag"], known: false)
        try await fixture.simulate("hide")
        _ = try await fixture.scan()
        let failure = try await fixture.failure("Pair", ["address": .string(hidden)])
        #expect(failure == AccessoryInterface.pairingFailed)
    }
}

/// The private address of the first button.
private let hidden = "5F:F1:F2:F3:F4:01"
