import AccessoryCore
import EventLoop
import Foundation
import Glibc
import JSON
import PTTMessages
import ServiceClient
import Testing

@testable import CommandLineTool
@testable import ptt_doctor
@testable import pttctl

/// Names given by strangers, as they are printed.
@Suite struct TerminalTests {
    /// All that a terminal may obey or that alters what is beside it, between letters of several scripts.
    private static let hostile =
        "a" + String(String.UnicodeScalarView(allScalars.filter(isHostile)))
        + "\u{1B}]0;title\u{7}\u{1B}[2J\r\n\u{9B}31mאنд字👩‍👧"

    private static let allScalars = (0...0x10FFFF).compactMap { Unicode.Scalar($0) }

    private static func isHostile(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        // Bidirectional controls, tags and what cannot be seen.
        case .format: scalar != "\u{200C}" && scalar != "\u{200D}"
        default: false
        }
    }

    private static let origin = Origin(kind: .bluetoothButton, identifier: "x", name: "x")
    private static let image = ImageSummary(imageID: "00ff", byteCount: 1)
    private static let microphone = MicrophoneState(
        name: "x",
        description: "x",
        isMuted: true,
        isSilent: false
    )
    private static let transmission = Transmission(
        transmissionID: TransmissionID(rawValue: 1),
        source: .userRequest,
        origin: origin,
        began: 0,
        role: .emergency
    )
    private static let channel = Channel(
        channelID: ChannelID(randomBytes: (1, 2)),
        name: "x",
        owner: ApplicationID(rawValue: "x"),
        application: Application(name: "x", processID: 1),
        participant: Participant(name: "x", image: image)
    )
    private static let refusal = Refusal(.channelNotFound, "x")
    private static let push = Push(
        pushID: PushID(rawValue: 1),
        kind: .pushToTalk,
        payload: "x",
        isHighPriority: true,
        remainingHighPriorityBudget: 1
    )
    /// All events that have a text.
    private static let events: [CoreEvent] = [
        .channelJoined(channel: channel, joinReason: .developerRequest),
        .descriptorChanged(name: "x", image: image),
        .channelLeft(leaveReason: .userRequest, explanation: "x"),
        .participantChanged(participant: channel.participant),
        .transmissionBegan(transmission: transmission),
        .transmissionLatched(transmission: transmission),
        .transmissionEnded(transmission: transmission, cause: .linkLost, endedBy: .unknown),
        .transmissionRefused(origin: origin, refusal: refusal), .routeChanged(input: "x", output: "x"),
        .pushFinished(pushID: push.pushID, outcome: .failed, explanation: "x"),
        .stateNotSaved(explanation: "x"),
        .virtualMicrophoneChanged(virtualMicrophone: .unavailable(reason: "x")),
        .virtualMicrophoneChanged(virtualMicrophone: .recorded(by: ["x"])),
        .callChanged(call: ActiveCall(source: "x", name: "x")), .recordersChanged(recorders: ["x"]),
        .microphoneChanged(microphone: microphone), .pushReceived(push: push),
        .requestAnswered(callID: nil, refusal: refusal),
        .endRefused(refusal: refusal), .accessoryPressed(origin: origin, role: .talk),
        .buttonReleased(origin: origin, role: .channelUp),
        .unknown(kind: "x"),
    ]
    private static let status = Status(
        channel: channel,
        transmission: transmission,
        isAudioServerReady: true,
        timeLimit: 60,
        saveFailure: "x",
        virtualMicrophone: .recorded(by: ["x"]),
        call: ActiveCall(source: "x", name: "x"),
        recorders: ["x"],
        microphone: microphone
    )
    private static let device = AccessoryDevice(
        kind: .bluetoothButton,
        identifier: "x",
        name: "x",
        profile: "x",
        mode: .hold,
        link: .ready,
        isPressed: false,
        remark: "x",
        accessory: "x"
    )
    private static let accessoryEvent = AccessoryEvent(.pressed, device: device, value: "x", remark: "x")
    private static let explanation = AccessoryInterface.ExplainReply(
        name: "x",
        address: "x",
        services: ["x"],
        transport: "x",
        product: "x",
        keys: ["x"],
        accessory: "x",
        files: [.init(accessory: "x", path: "x", matches: true, reasons: ["x"])]
    )

    private static let discovery = AccessoryInterface.Discovery(
        address: "x",
        name: "x",
        rssi: -1,
        profile: "x",
        isPaired: false,
        addressType: .privateResolvable
    )
    private static let learned = AccessoryInterface.LearnReply(
        device: .init(identity: "x", name: "x", transport: "x", product: "x"),
        frame: .init(time: 0, service: "x", characteristic: "x", value: "x", key: 1, isPressed: true)
    )
    private static let paired = AccessoryInterface.PairAndTestReply(
        .tested,
        device: device,
        restore: [Restoration(service: "x", characteristic: "x", bits: "x")]
    )
    /// All that ptt-accessoryd sends.
    private static let accessoryMessages: [any Codable & Sendable] = [
        AccessoryInterface.DevicesReply(devices: [device], isCoreConnected: true),
        AccessoryInterface.Update(sequence: 0, time: 0, devices: [device], event: accessoryEvent),
        AccessoryInterface.ScanReply(device: discovery), AccessoryInterface.PairReply(device: device),
        paired, AccessoryInterface.ForgetReply(remark: "x"), explanation, learned,
    ]
    /// Facts about a button that sends such texts.
    private static let facts: [LearningFact] = [.press(hostile), .release(hostile), .mirrored(hostile)]
    private static let findings: [Finding] =
        Check.buttons.ok(Text(verbatim: hostile))
        + Check.bluetooth.warning(Text("\(hostile)"), cure: .command(hostile))
        + Check.policy.failure(Text(sent: [hostile]), cure: .advice(Text("\(hostile) \(hostile)")))
        + KernelFacts(sandbox: Text(verbatim: hostile), isWSL: false, hasUHID: true).findings
        + SeatFacts.findings(.failure(.unreachable(hostile)))
    private static let errors: [any Error] = [
        ServiceError.failed(name: hostile, reason: hostile), ServiceError.lost(.accessory, reason: hostile),
        ServiceError.unreachable(.core, reason: hostile),
        ServiceError.refused(Refusal(.channelNotFound, hostile)),
        CommandError(hostile),
    ]

    /// The message with a hostile text for each text in turn, as far as it still is such a message.
    private static func hostile<Message: Codable>(_ message: Message) -> [Message] {
        variants(JSON.encoding(message)).compactMap { try? $0.decode(Message.self) }
    }

    private static func variants(_ json: JSON) -> [JSON] {
        switch json {
        case .null, .bool, .int, .double: []
        case .string: [.string(hostile)]
        case .array(let elements):
            elements.indices.flatMap { index in
                variants(elements[index]).map { variant in
                    var changed = elements
                    changed[index] = variant
                    return .array(changed)
                }
            }
        case .object(let object):
            object.members.flatMap { member in
                variants(member.value).map { variant in
                    var changed = object
                    changed[member.key] = variant
                    return .object(changed)
                }
            }
        }
    }

    private static func lines() -> [String] {
        var lines = hostile(status).flatMap { Wording.lines($0) }
        for event in events { lines += hostile(Tagged(event)).map { Wording.line($0.value) } }
        lines += hostile(device).map { Wording.line($0) }
        lines += hostile(accessoryEvent).map { Wording.line($0) }
        lines += hostile(explanation).flatMap { Wording.lines($0, includesOthers: true) }
        lines += hostile(discovery).map { Wording.line($0) }
        lines += hostile(paired).compactMap { $0.device.map { Wording.line($0) } }
        lines += facts.map(\.description) + findings.flatMap(\.lines) + errors.map { "\($0)" }
        return lines
    }

    /// A pipe, or the two ends of a terminal that passes on what it is given.
    private static func ends(isTerminal: Bool) throws -> (reading: Int32, writing: Int32) {
        var numbers: [Int32] = [-1, -1]
        guard isTerminal else {
            guard pipe(&numbers) == 0 else { throw SystemError("make a pipe") }
            return (numbers[0], numbers[1])
        }
        var (controlling, terminal): (Int32, Int32) = (-1, -1)
        guard openpty(&controlling, &terminal, nil, nil, nil) == 0 else {
            throw SystemError("open a terminal")
        }
        var mode = termios()
        cfmakeraw(&mode)
        tcsetattr(terminal, TCSANOW, &mode)
        return (controlling, terminal)
    }

    /// The lines at the reader of a pipe or a terminal.
    private static func printed(_ parts: [Terminal.Part], isTerminal: Bool) throws -> [String] {
        let (reading, writing) = try ends(isTerminal: isTerminal)
        let output = TerminalOutput(writing)
        defer { for end in [reading, writing] { _ = close(end) } }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        for part in parts {
            output.write([part, .endOfLine])
            repeat {
                // A line that was not written must not be waited for.
                var ready = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
                guard poll(&ready, 1, 30_000) == 1 else { throw SystemError("receive a line") }
                let count = read(reading, &buffer, buffer.count)
                guard count > 0 else { throw SystemError("receive a line") }
                bytes += buffer[..<count]
            } while bytes.last != 0x0A
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test(arguments: [false, true])
    func `no field of a message can be more than text in its line`(isTerminal: Bool) throws {
        let lines = Self.lines()
        #expect(lines.filter { $0.contains("\u{202E}") }.count > 40)
        let printed = try Self.printed(lines.map { .text($0) }, isTerminal: isTerminal)
        #expect(printed.count == lines.count)
        for line in printed {
            #expect(line.unicodeScalars.allSatisfy { !Self.isHostile($0) }, "\(line.debugDescription)")
        }
        #expect(printed.contains { $0.contains("\\u{1b}]0;title\\u{7}") && $0.contains("אنд字👩‍👧") })
    }

    @Test(arguments: [false, true])
    func `what ptt-accessoryd and the doctor say is text in JSON as well`(isTerminal: Bool) throws {
        var messages = Self.findings.map { JSON.encoding(FindingRecord($0)) }
        for message in Self.accessoryMessages { messages += Self.variants(JSON.encoding(message)) }
        #expect(messages.count > 60)
        let printed = try Self.printed(messages.map { .json($0) }, isTerminal: isTerminal)
        for line in printed {
            #expect(line.unicodeScalars.allSatisfy { !Self.isHostile($0) }, "\(line.debugDescription)")
        }
        #expect(try printed.map { try JSON(parsing: $0) } == messages)
    }

    @Test(arguments: [false, true])
    func `JSON escapes as JSON does, and reads back as it was`(isTerminal: Bool) throws {
        let messages = Self.events.flatMap { Self.hostile(Tagged($0)) }
        let parts = messages.map { Terminal.Part.json(.encoding($0)) }
        let printed = try Self.printed(parts, isTerminal: isTerminal)
        for line in printed {
            #expect(line.unicodeScalars.allSatisfy { !Self.isHostile($0) }, "\(line.debugDescription)")
        }
        #expect(try printed.map { try JSON(parsing: $0).decode(Tagged<CoreEvent>.self) } == messages)
    }
}
