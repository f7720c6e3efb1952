import CoreConfiguration
import DBus
import EventLoop
import PulseAudio

extension SoundFacts {
    /// `preferences` are `microphone` of the configuration.
    @EventLoop
    static func observed(preferring preferences: [String]) async -> Result<SoundFacts, Silence> {
        let server = AudioServer.forDoctor()
        defer { server.close() }
        do throws(Silence) {
            try await server.reach()
            return .success(SoundFacts(try await server.devices(), preferring: preferences))
        } catch {
            return .failure(error)
        }
    }

    init(_ devices: AudioDevices, preferring preferences: [String]) {
        let hasVirtualMicrophone = devices.sources.contains { $0.isOwn && !$0.isMonitor }
        var (recorders, live): ([String], [String]) = ([], [])
        for stream in devices.sourceOutputs where stream.client != nil && !stream.isMarked && !stream.isMeter
        {
            guard let name = stream.applicationName else { continue }
            let source = devices.sources.first { $0.index == stream.device }
            if hasVirtualMicrophone, !stream.isCorked, source.map(devices.isMicrophone) == true {
                if !live.contains(name) { live.append(name) }
            } else if !recorders.contains(name) {
                recorders.append(name)
            }
        }
        self.init(
            server: devices.serverName,
            preferences: preferences,
            microphone: devices.microphone(preferring: preferences),
            deafHeadset: Self.deafHeadset(devices.cards),
            recorders: recorders,
            liveRecorders: live
        )
    }

    private static func deafHeadset(_ cards: [AudioCard]) -> DeafHeadset? {
        for card in cards where card.isBluetooth {
            guard card.profiles.first(where: { $0.name == card.activeProfile })?.hasMicrophone == false
            else { continue }
            let usable = card.profiles.filter { $0.hasMicrophone && $0.isAvailable }
            if let best = usable.max(by: { $0.priority < $1.priority }) {
                return DeafHeadset(card: card.name, profile: best.name)
            }
        }
        return nil
    }
}

extension SoundUnits {
    /// Nil if the user's service manager does not answer.
    @EventLoop
    static func observed(on host: Host, _ user: Result<BusConnection, BusError>) async -> SoundUnits? {
        guard case .success(let bus) = user,
            // A silence is a finding of the units of push-to-talk.
            let units = try? await ServiceManager(bus: bus, host: host).units(names)
        else { return nil }
        return SoundUnits(pipeWire: units[0], pulseAudio: units[1], sessionManager: units[2])
    }
}

// The questions to the sound server, with time limits.
extension AudioServer {
    static func forDoctor() -> AudioServer {
        AudioServer(applicationName: "pttctl doctor", ownDeviceProperty: Configuration.ownDeviceProperty)
    }

    /// - Throws: The reason why there is no connection, or that there was none within the time limit.
    func reach() async throws(Silence) {
        let result: Result<Void, Silence> = await withCheckedContinuation { continuation in
            let answer = FirstAnswer(continuation, after: Host.timeLimit, .failure(.timedOut))
            stateChanged = { state in
                switch state {
                case .ready: answer.give(.success(()))
                case .lost(let reason): answer.give(.failure(.unreachable(reason)))
                case .connecting, .closed: break
                }
            }
            connect()
        }
        try result.get()
    }

    fileprivate func devices() async throws(Silence) -> AudioDevices {
        let kinds: Set<DeviceKind> = [.server, .source, .sink, .sourceOutput, .card]
        let result: Result<AudioDevices, Silence> = await withCheckedContinuation { continuation in
            let answer = FirstAnswer(continuation, after: Host.timeLimit, .failure(.timedOut))
            list(kinds) { answer.give($0.mapError { .unreachable($0.reason) }) }
        }
        return try result.get()
    }
}
