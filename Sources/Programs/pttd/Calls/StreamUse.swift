import PTTCore
import PulseAudio

/// The calls and recordings that the streams of other applications on the sound server mean.
struct StreamUse: Equatable {
    /// Streams that record or play with the role `phone`.
    private(set) var phoneStreams: [ActiveCalls.Call] = []
    /// Recordings of the applications whose recordings count as calls.
    private(set) var callApplications: [ActiveCalls.Call] = []
    /// The names of the applications that record from a microphone and are no call, in order.
    private(set) var recorders: [String] = []

    /// More names help nobody.
    static let recorderLimit = 16

    init() {}

    /// - Parameters:
    ///   - devices: With sources, source outputs and sink inputs.
    ///   - applications: The names of the applications whose recordings count as calls. ASCII case is
    ///     ignored.
    init(_ devices: AudioDevices, callApplications applications: [String] = []) {
        let names = Set(applications.map { $0.lowercased() })
        let recordings = devices.sourceOutputs.filter(\.isOfAnotherApplication)
        let sources = Dictionary(devices.sources.map { ($0.index, $0) }) { first, _ in first }
        // An application that records from our own source, also through an echo canceller, transmits by
        // push-to-talk: neither that nor what it plays is a call that push-to-talk would have to yield to.
        let isUser = { (recording: AudioStream) in
            sources[recording.device].map(devices.deliversOnlyOwnSound) ?? false
        }
        let users = recordings.filter(isUser)
        var recorders: Set<String> = []
        for recording in recordings where !recording.isCorked && !isUser(recording) {
            let isOfMicrophone = sources[recording.device].map(devices.isMicrophone) ?? false
            let call = ActiveCalls.Call(id: "recording \(recording.index)", name: recording.application)
            if recording.role == Self.phone {
                phoneStreams.append(call)
            } else if isOfMicrophone, recording.names.contains(where: { names.contains($0.lowercased()) }) {
                callApplications.append(call)
            } else if isOfMicrophone {
                recorders.insert(call.name)
            }
        }
        for player in devices.sinkInputs.filter(\.isOfAnotherApplication)
        where !player.isCorked && player.role == Self.phone
            && !users.contains(where: { player.isOfSameApplication(as: $0) })
        {
            phoneStreams.append(.init(id: "playback \(player.index)", name: player.application))
        }
        self.recorders = Array(recorders.sorted().prefix(Self.recorderLimit))
    }

    /// `media.role` of calls.
    private static let phone = "phone"
}

extension AudioStream {
    /// Software of the server, `module-remap-source` for example, has no client.
    fileprivate var isOfAnotherApplication: Bool { !isOwn && client != nil && !isMarked && !isMeter }

    /// For people.
    fileprivate var application: String {
        ActiveCalls.shortened(applicationName ?? applicationID ?? name)
    }

    /// By which the configuration can name it.
    fileprivate var names: [String] {
        [applicationName, applicationID].compactMap { $0.map(ActiveCalls.shortened) }
    }

    /// An application may have a connection to the server for each of its streams.
    fileprivate func isOfSameApplication(as other: AudioStream) -> Bool {
        client == other.client
            || applicationName != nil
                && names.first.map { Array($0.utf8) } == other.names.first.map { Array($0.utf8) }
    }
}
