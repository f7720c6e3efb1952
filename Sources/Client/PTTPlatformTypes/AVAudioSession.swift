public import Foundation
import Synchronization

/// The audio session, which the system activates and deactivates: the members of AVFAudio's class that
/// applications use together with the PushToTalk framework.
///
/// `pttd` configures the devices and activates the session. Values that an application sets are stored and
/// returned, and have no effect: the person chooses the microphone, the speaker and the volume in the
/// settings of the desktop.
public final class AVAudioSession: NSObject, Sendable {
    private struct State {
        var category = Category.playAndRecord
        var mode = Mode.voiceChat
        var options: CategoryOptions = []
        var policy = RouteSharingPolicy.default
        var allowsSystemSounds = false
        var isActive = false
        /// True if observers were notified of the beginning of an interruption, and not of its end.
        var isInterrupted = false
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

    /// Samples per second of captured and played audio, always 48,000.
    public var sampleRate: Double { Self.sampleRate }

    /// The duration of a frame of captured or played audio in seconds, always 0.02.
    public var ioBufferDuration: TimeInterval { Self.bufferDuration }

    public var inputNumberOfChannels: Int { 1 }

    public var outputNumberOfChannels: Int { 1 }

    /// Always false: the audio of other applications is not observed. The audio server decides whether to
    /// lower its volume during a transmission; it recognises the streams of `pttd` by their role "phone".
    public var isOtherAudioPlaying: Bool { false }

    /// Always false, as ``isOtherAudioPlaying``.
    public var secondaryAudioShouldBeSilencedHint: Bool { false }

    /// The value that was set.
    public var allowHapticsAndSystemSoundsDuringRecording: Bool { state.withLock { $0.allowsSystemSounds } }

    /// Stores the value; it has no other effect: the desktop's sounds are not silenced during a transmission.
    public func setAllowHapticsAndSystemSoundsDuringRecording(_ inValue: Bool) throws {
        state.withLock { $0.allowsSystemSounds = inValue }
    }

    /// Stores the value; it has no other effect.
    public func setCategory(_ category: Category) throws {
        try setCategory(category, mode: .default)
    }

    /// Stores the value; it has no other effect.
    public func setCategory(_ category: Category, options: CategoryOptions) throws {
        try setCategory(category, mode: .default, options: options)
    }

    /// Stores the value; it has no other effect.
    public func setCategory(_ category: Category, mode: Mode, options: CategoryOptions = []) throws {
        try setCategory(category, mode: mode, policy: .default, options: options)
    }

    /// Stores the value; it has no other effect.
    public func setCategory(
        _ category: Category,
        mode: Mode,
        policy: RouteSharingPolicy,
        options: CategoryOptions = []
    ) throws {
        state.withLock {
            ($0.category, $0.mode, $0.policy, $0.options) = (category, mode, policy, options)
        }
    }

    public var routeSharingPolicy: RouteSharingPolicy { state.withLock { $0.policy } }

    /// Stores the value; it has no other effect.
    public func setMode(_ mode: Mode) throws {
        state.withLock { $0.mode = mode }
    }

    /// The value that was set. It does not change ``sampleRate``.
    public var preferredSampleRate: Double { state.withLock { $0.sampleRate } }

    /// Stores the value; it has no other effect.
    public func setPreferredSampleRate(_ sampleRate: Double) throws {
        state.withLock { $0.sampleRate = sampleRate }
    }

    /// The value that was set, in seconds. It does not change ``ioBufferDuration``.
    public var preferredIOBufferDuration: TimeInterval { state.withLock { $0.bufferDuration } }

    /// Stores the value; it has no other effect.
    public func setPreferredIOBufferDuration(_ duration: TimeInterval) throws {
        state.withLock { $0.bufferDuration = duration }
    }

    // MARK: - Activation

    /// Has no effect on the session: the system activates and deactivates it for each transmission and each
    /// remote participant, and reports that with `didActivate` and `didDeactivate`.
    ///
    /// Activation always succeeds, as on iOS in the foreground.
    ///
    /// - Parameters:
    ///   - active: False throws while the system has the session active.
    ///   - options: Ignored.
    /// - Throws: An error of the domain `NSOSStatusErrorDomain` with the code ``ErrorCode/isBusy``, as on iOS
    ///   while audio is running: the microphone or the speaker stays in use.
    public func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
        guard !active, state.withLock({ $0.isActive }) else { return }
        throw Self.error(
            .isBusy,
            "the system has the audio session active: stop transmitting, or set the remote participant to nil"
        )
    }

    private static func error(_ code: ErrorCode, _ reason: String) -> NSError {
        NSError(
            domain: "NSOSStatusErrorDomain",
            code: code.rawValue,
            userInfo: [NSLocalizedDescriptionKey: reason]
        )
    }

    // MARK: - Permission

    /// Always `granted`: `pttd` captures, and only during a transmission. A request to transmit can still be
    /// refused.
    public var recordPermission: RecordPermission { .granted }

    /// Grants the permission without asking the person.
    ///
    /// - Parameter response: Called with true before this method returns.
    public func requestRecordPermission(_ response: @escaping (Bool) -> Void) { response(true) }

    // MARK: - Route

    /// The microphone and the speaker in use. Empty before the session was first activated.
    public var currentRoute: AVAudioSessionRouteDescription {
        state.withLock { state in
            AVAudioSessionRouteDescription(
                inputs: state.input.map { [.init(portType: .builtInMic, portName: $0)] } ?? [],
                outputs: state.output.map { [.init(portType: .builtInSpeaker, portName: $0)] } ?? []
            )
        }
    }

    /// The microphone in use, without others that the person could choose.
    public var availableInputs: [AVAudioSessionPortDescription]? { currentRoute.inputs }

    /// The value that was set. The microphone in use is in ``currentRoute``.
    public var preferredInput: AVAudioSessionPortDescription? { state.withLock { $0.preferredInput } }

    /// Stores the value; it has no other effect.
    public func setPreferredInput(_ input: AVAudioSessionPortDescription?) throws {
        state.withLock { $0.preferredInput = input }
    }

    /// Always true: whether there is a microphone is found out when a transmission begins, which ends without
    /// one.
    public var isInputAvailable: Bool { true }

    /// Always 0, because the library does not know it. `PTTAudioFrame` has the time at which it was captured.
    public var inputLatency: TimeInterval { 0 }

    /// Always 0, because the library does not know it.
    public var outputLatency: TimeInterval { 0 }

    /// Always 1: the library does not scale the samples of the microphone, and the person sets its volume.
    public var inputGain: Float { 1 }

    /// Always false: the person sets the volume of the microphone in the settings of the desktop.
    public var isInputGainSettable: Bool { false }

    /// Cannot be set, as ``isInputGainSettable`` says.
    ///
    /// - Throws: An error of the domain `NSOSStatusErrorDomain` with the code
    ///   ``ErrorCode/resourceNotAvailable``.
    public func setInputGain(_ gain: Float) throws {
        throw Self.error(
            .resourceNotAvailable,
            "an application cannot set the volume of the microphone: the person does so in the settings of the desktop"
        )
    }

    /// Has no effect: there is no receiver to route audio away from.
    public func overrideOutputAudioPort(_ override: PortOverride) throws {}

    /// Always 1: the library does not scale the application's samples, and the person sets the volume.
    public var outputVolume: Float { 1 }

    // MARK: - Updates from the library

    /// Sets whether the system has the session active, when the application is notified of that.
    package func activated(_ isActive: Bool) {
        state.withLock { $0.isActive = isActive }
    }

    package func interrupted(_ began: Bool) {
        state.withLock { $0.isInterrupted = began }
        let type: InterruptionType = began ? .began : .ended
        post(Self.interruptionNotification, [AVAudioSessionInterruptionTypeKey: type.rawValue])
    }

    /// Ends an interruption, if there is one, whose end nothing else reports any more.
    package func endInterruption() {
        if state.withLock({ $0.isInterrupted }) { interrupted(false) }
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
