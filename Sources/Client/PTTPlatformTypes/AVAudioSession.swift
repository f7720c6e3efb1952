public import Foundation
import Synchronization

/// The audio session that the system opens and closes: the part of AVFAudio's class that applications of the PushToTalk
/// framework touch.
///
/// The core configures devices and activates. What an application sets here is remembered and can be read back, and
/// changes nothing: which microphone and which speaker are used, and how loud, is the person's choice in the settings of
/// their desktop.
public final class AVAudioSession: NSObject, Sendable {
    private struct State {
        var category = Category.playAndRecord
        var mode = Mode.voiceChat
        var options: CategoryOptions = []
        var isActive = false
        var sampleRate = AVAudioSession.sampleRate
        var bufferDuration = AVAudioSession.bufferDuration
        var preferredInput: AVAudioSessionPortDescription?
        var input: String?
        var output: String?
    }

    private static let instance = AVAudioSession()
    private static let sampleRate = 48_000.0
    private static let bufferDuration: TimeInterval = 0.02

    private let state = Mutex(State())

    override private init() {}

    public class func sharedInstance() -> AVAudioSession { instance }

    // MARK: - Configuration

    public var category: Category { state.withLock { $0.category } }

    public var mode: Mode { state.withLock { $0.mode } }

    public var categoryOptions: CategoryOptions { state.withLock { $0.options } }

    /// Samples per second of what the core captures and plays.
    public var sampleRate: Double { Self.sampleRate }

    /// Seconds that a frame of what the core captures and plays lasts.
    public var ioBufferDuration: TimeInterval { Self.bufferDuration }

    public var inputNumberOfChannels: Int { 1 }

    public var outputNumberOfChannels: Int { 1 }

    /// Always false: nobody looks at what others play. Whether that gets quieter meanwhile is up to the audio server, which
    /// knows the streams of the core by their role "phone".
    public var isOtherAudioPlaying: Bool { false }

    /// Remembered, nothing more.
    public func setCategory(_ category: Category) throws {
        try setCategory(category, mode: .default)
    }

    /// Remembered, nothing more.
    public func setCategory(_ category: Category, options: CategoryOptions) throws {
        try setCategory(category, mode: .default, options: options)
    }

    /// Remembered, nothing more.
    public func setCategory(_ category: Category, mode: Mode, options: CategoryOptions = []) throws {
        state.withLock { ($0.category, $0.mode, $0.options) = (category, mode, options) }
    }

    /// Remembered, nothing more.
    public func setMode(_ mode: Mode) throws {
        state.withLock { $0.mode = mode }
    }

    /// What was set; ``sampleRate`` stays as it is.
    public var preferredSampleRate: Double { state.withLock { $0.sampleRate } }

    /// Remembered, nothing more.
    public func setPreferredSampleRate(_ sampleRate: Double) throws {
        state.withLock { $0.sampleRate = sampleRate }
    }

    /// What was set, in seconds; ``ioBufferDuration`` stays as it is.
    public var preferredIOBufferDuration: TimeInterval { state.withLock { $0.bufferDuration } }

    /// Remembered, nothing more.
    public func setPreferredIOBufferDuration(_ duration: TimeInterval) throws {
        state.withLock { $0.bufferDuration = duration }
    }

    // MARK: - Activation

    /// Activates nothing and deactivates nothing: the system does that with each transmission and each remote
    /// participant, and tells of it with `didActivate` and `didDeactivate`.
    ///
    /// Activating always succeeds, as it does on iOS in the foreground.
    ///
    /// - Throws: If it is to be deactivated while the system has it active: the microphone or the loudspeaker stays in
    ///   use. An error of the domain `NSOSStatusErrorDomain` with the code `'!act'`, as on iOS while sound flows.
    public func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
        guard !active, state.withLock({ $0.isActive }) else { return }
        throw NSError(
            domain: "NSOSStatusErrorDomain",
            code: 0x2161_6374,
            userInfo: [
                NSLocalizedDescriptionKey: """
                the system has the audio session active: stop transmitting, or take the remote participant away
                """
            ]
        )
    }

    // MARK: - Permission

    /// Always `granted`: the core captures, and only while somebody transmits. Whether the application may transmit is
    /// told when it tries.
    public var recordPermission: RecordPermission { .granted }

    /// Asks nobody.
    ///
    /// - Parameter response: Called with true before this returns.
    public func requestRecordPermission(_ response: @escaping (Bool) -> Void) { response(true) }

    // MARK: - Route

    public var currentRoute: AVAudioSessionRouteDescription {
        state.withLock { state in
            AVAudioSessionRouteDescription(
                inputs: state.input.map { [.init(portType: .builtInMic, portName: $0)] } ?? [],
                outputs: state.output.map { [.init(portType: .builtInSpeaker, portName: $0)] } ?? []
            )
        }
    }

    /// The microphone in use, as far as the core has told of it: what the person could choose instead it does not tell.
    public var availableInputs: [AVAudioSessionPortDescription]? { currentRoute.inputs }

    /// What was set; the microphone in use is in ``currentRoute``.
    public var preferredInput: AVAudioSessionPortDescription? { state.withLock { $0.preferredInput } }

    /// Remembered, nothing more.
    public func setPreferredInput(_ input: AVAudioSessionPortDescription?) throws {
        state.withLock { $0.preferredInput = input }
    }

    /// Does nothing: there is no earpiece that sound would have to be taken away from.
    public func overrideOutputAudioPort(_ override: PortOverride) throws {}

    /// Always 1: the application's sound is played as loud as it is written, and the rest is up to the person.
    public var outputVolume: Float { 1 }

    // MARK: - What the library tells

    /// Whether the system has the session active, as far as the application was told.
    package func activated(_ isActive: Bool) {
        state.withLock { $0.isActive = isActive }
    }

    package func interrupted(_ began: Bool) {
        let type: InterruptionType = began ? .began : .ended
        post(Self.interruptionNotification, [AVAudioSessionInterruptionTypeKey: type.rawValue])
    }

    /// - Parameters:
    ///   - input: The new microphone, nil if it is the same.
    ///   - output: The new speaker, nil if it is the same.
    package func routeChanged(input: String?, output: String?) {
        let previous = currentRoute
        state.withLock { state in
            state.input = input ?? state.input
            state.output = output ?? state.output
        }
        post(
            Self.routeChangeNotification,
            [
                AVAudioSessionRouteChangeReasonKey: RouteChangeReason.routeConfigurationChange.rawValue,
                AVAudioSessionRouteChangePreviousRouteKey: previous,
            ]
        )
    }

    package func servicesWereLost() { post(Self.mediaServicesWereLostNotification, [:]) }

    package func servicesWereReset() { post(Self.mediaServicesWereResetNotification, [:]) }

    private func post(_ name: Notification.Name, _ userInfo: [String: Any]) {
        NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
    }
}
