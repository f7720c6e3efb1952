import EventLoop
import Foundation
import JSON
import PTTMessages
import TestSupport
import Testing
import Varlink
import WAV

/// A built `ptt-actions` whose talk button records, with a core, and a sound server whose microphone is a
/// tone.
@EventLoop
final class RecordingFixture {
    let actions: ActionsFixture
    let sound: PrivateAudioServer
    let core: TestProcess
    /// The events of the actions.
    let events = AsyncQueue(of: ActionInterface.Event.self)
    /// Of the core.
    private let coreEvents = AsyncQueue(of: CoreEvent.self)
    private let levels = AsyncQueue(of: Float.self)
    private var clients: [VarlinkClient] = []

    /// - Parameters:
    ///   - record: The value of the key, in which `LOG` is the file that commands write to.
    ///   - configuration: Files of the core, by name.
    ///   - more: Further keys of the action.
    ///   - disk: The size of the disk that recordings are written to first; nil for a real one.
    /// - Returns: The programs, which serve.
    /// - Throws: If something of it cannot be started.
    static func start(
        _ record: String,
        configuration: [String: String] = [:],
        more: String = "",
        disk: String? = nil
    ) async throws -> RecordingFixture {
        let text = "[[action]]\naccessory = \"foot-pedal\"\nbutton = \"talk\"\nrecord = \(record)\n\(more)\n"
        let actions = try await ActionsFixture.start(text, disk: disk)
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let fixture = try RecordingFixture(actions, sound, configuration)
        try await fixture.connect()
        return fixture
    }

    private init(
        _ actions: ActionsFixture,
        _ sound: PrivateAudioServer,
        _ configuration: [String: String]
    ) throws {
        (self.actions, self.sound) = (actions, sound)
        var files = configuration
        files["pttd.toml", default: ""] += "\n[tones]\nenabled = false\n"
        for (name, text) in files {
            let path = "\(actions.directory)/config/pushtotalk/\(name)"
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        core = try CoreProcess.launch(
            in: actions.directory,
            soundServer: sound.address,
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": actions.systemBusAddress]
        )
    }

    isolated deinit {
        for client in clients { client.close() }
    }

    private func connect() async throws {
        _ = try await core.lines.first { $0 == "info: ready" }
        let path = actions.directory + "/pushtotalk/"
        let (core, levels, actions) = try (
            VarlinkClient(connectingTo: path + "core"), VarlinkClient(connectingTo: path + "core"),
            VarlinkClient(connectingTo: path + "actions")
        )
        clients = [core, levels, actions]
        let statuses = AsyncQueue(of: Status.self)
        core.subscribe(ChannelInterface.subscribe.qualifiedName) { [coreEvents] answer, _ in
            guard let update = try? answer.get().decode(ChannelInterface.Update.self) else { return }
            if let status = update.status { statuses.add(status) }
            if let event = update.event { coreEvents.add(event) }
        }
        levels.subscribe(ChannelInterface.subscribeLevels.qualifiedName) { [levels = self.levels] answer, _ in
            guard let report = try? answer.get().decode(ChannelInterface.LevelReport.self) else { return }
            if let level = report.microphone { levels.add(Float(level)) }
        }
        let subscribed = AsyncQueue(of: Bool.self)
        actions.subscribe(ActionInterface.subscribe.qualifiedName) { [events] answer, _ in
            guard let update = try? answer.get().decode(ActionInterface.Update.self) else { return }
            if let event = update.event { events.add(event) } else { subscribed.add(true) }
        }
        _ = try await subscribed.next()
        if try await !statuses.next().isAudioServerReady {
            _ = try await coreEvents.first { $0 == .audioServerReady }
        }
        try await logindHasAnswered(path + "core")
    }

    /// Returns when the core knows the session, without which it refuses everything.
    private func logindHasAnswered(_ path: String) async throws {
        let request = ChannelInterface.BeginRequest(
            channelID: nil,
            source: .userRequest,
            origin: Origin(kind: .commandLine, identifier: "test", name: "test"),
            recording: .standard
        )
        try await until {
            let client = try VarlinkClient(connectingTo: path)
            defer { client.close() }
            do {
                _ = try await client.call(
                    ChannelInterface.beginTransmitting.qualifiedName,
                    .encoding(request)
                )
            } catch VarlinkCallError.answered(let error) {
                return error.parameters["reason"]?.string?.contains("logind") == false
            }
            client.close()
            _ = try await recordingEnded()
            return true
        }
    }

    var directory: String { actions.directory }

    /// Presses, and returns when the microphone has delivered for about so many tenths of a second.
    func press(for tenths: Int = 3) async throws -> Press {
        let press = try await actions.begin()
        for _ in 0..<tenths { _ = try await levels.next() }
        return press
    }

    /// The next end of an action.
    func ended() async throws -> ActionInterface.Event { try await events.first { $0.kind == .ended } }

    /// Why a press records nothing.
    func refusal() async throws -> String? {
        _ = try await actions.begin()
        return try await ended().remark
    }

    func recordingEnded() async throws -> EndCause {
        let event = try await coreEvents.first { if case .transmissionEnded = $0 { true } else { false } }
        guard case .transmissionEnded(let transmission, let cause, _) = event else { return .unknown }
        #expect(transmission.recording != nil)
        return cause
    }

    /// From outside: no program records.
    func microphoneIsClosed() async throws {
        try await until(within: .seconds(5)) { try await sound.sourceOutputs().isEmpty }
    }

    /// The files of a folder in the fixture's directory, also those that are hidden.
    func files(_ folder: String) throws -> [String] {
        let path = "\(directory)/\(folder)"
        return FileManager.default.fileExists(atPath: path)
            ? try FileManager.default.contentsOfDirectory(atPath: path).map { "\(path)/\($0)" } : []
    }
}

/// The length of a WAV file in seconds, and its rate. It has the tone.
func recorded(_ path: String) throws -> (seconds: Double, rate: Int) {
    let sound = try WAVSound(reading: path, longest: .seconds(60))
    let samples = sound.mono(rate: sound.rate)
    #expect(samples.contains { abs(Int($0)) > 1000 }, "\(path) has no tone")
    return (Double(samples.count) / Double(sound.rate), sound.rate)
}
