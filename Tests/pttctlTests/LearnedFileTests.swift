import AccessoryCore
import AccessoryFiles
import CommandLineTool
import PTTMessages
import Testing

@testable import pttctl

@Suite struct LearnedFileTests {
    private static let attribute = GattAttribute(
        service: GattUUID(assigned: 0xABCD),
        characteristic: GattUUID(assigned: 0xABCE)
    )
    private static let port = GattUUID(assigned: 0x1101)

    @Test func `a learned button becomes a file for this device alone`() throws {
        let file = try learnedFile(.notified([0x81], Self.attribute), .notified([0x80], Self.attribute))
        let definition = try AccessoryDefinition(toml: file.text, identifier: file.identifier)
        #expect(file.identifier == "learned-ptt-x-1")
        #expect(file.path == "/folder/learned-ptt-x-1.toml")
        #expect(definition.name == "PTT X-1")
        #expect(definition.confidence == .learned)
        #expect(definition.match.addresses == ["AA:BB:CC:DD:EE:FF"])
        #expect(definition.match.services == [Self.attribute.service])
        #expect(definition.mode == .hold)
        let outcomes = definition.examples.flatMap(\.steps).flatMap(\.outcomes)
        #expect(outcomes == Array(repeating: [.begin(.talk), .end(.talk)], count: 4).flatMap { $0 })
    }

    @Test func `serial texts and keys become files as well`() throws {
        let serial = try learnedFile(
            .received(Array("+A=1\r\n".utf8), serviceClass: Self.port),
            .received(Array("+A=0\r\n".utf8), serviceClass: Self.port),
            transport: "serial"
        )
        #expect(serial.text.contains("serial = \"1101\""))
        let keys = try learnedFile(
            .key(208, isPressed: true),
            .key(168, isPressed: true),
            transport: "avrcp",
            identity: "bluetooth:AA:BB:CC:DD:EE:FF:X (AVRCP)"
        )
        #expect(
            keys.text.contains("KEY_FASTFORWARD = \"talk down\", KEY_REWIND = \"talk up\"")
                || keys.text.contains("KEY_REWIND = \"talk up\", KEY_FASTFORWARD = \"talk down\"")
        )
    }

    @Test func `an accessory of the same name is not replaced unasked`() throws {
        let first = try learnedFile(.notified([0x81], Self.attribute), .notified([0x80], Self.attribute))
        let definition = try AccessoryDefinition(toml: first.text, identifier: first.identifier)
        let entry = AccessoryCatalog.Entry(definition, path: first.path, folder: 0)
        let known = AccessoryCatalog([entry])
        #expect(throws: CommandError.self) {
            _ = try learnedFile(
                .notified([0x81], Self.attribute),
                .notified([0x80], Self.attribute),
                known: known
            )
        }
    }

    /// Learns from a person who always reacts after 0.3 s.
    private func learnedFile(
        _ press: LearningFrame.Content,
        _ release: LearningFrame.Content,
        transport: String = "gatt",
        identity: String = "bluetooth:AA:BB:CC:DD:EE:FF",
        known: AccessoryCatalog = AccessoryCatalog([])
    ) throws -> LearnedFile {
        var learner = Learner(transport: InputTransport(rawValue: transport))
        var time = MonotonicTime(nanoseconds: 1_000_000_000)
        var effects = learner.handle(.ready, at: time)
        while true {
            var next: MonotonicTime?
            for effect in effects {
                switch effect {
                case .show(.press): _ = learner.handle(.received(press), at: time + .milliseconds(300))
                case .show(.letGo): _ = learner.handle(.received(release), at: time + .milliseconds(300))
                case .show(.pressTwice):
                    for (index, frame) in [press, release, press, release].enumerated() {
                        let delay = Duration.milliseconds(300 + 300 * index)
                        _ = learner.handle(.received(frame), at: time + delay)
                    }
                case .show(.leaveAlone): break
                case .setTimer(let time): next = time
                case .failed(let failure): throw failure
                case .finished(let learned, let recording):
                    let device = AccessoryInterface.LearnedDevice(
                        identity: identity,
                        name: "PTT X-1",
                        transport: transport
                    )
                    let result = LearningDialog.Result(device: device, learned: learned, recording: recording)
                    return try LearnedFile(result, name: nil, replaces: false, in: "/folder", known: known)
                }
            }
            time = try #require(next)
            effects = learner.handle(.timerFired, at: time)
        }
    }
}
