public import Foundation
internal import Synchronization

/// The audio session that the system opens and closes: the part of AVFAudio's class that applications of the PushToTalk
/// framework touch.
///
/// The core configures devices and activates. What an application sets here is remembered and can be read back, and
/// changes nothing.
public final class AVAudioSession: NSObject, Sendable {
    private struct State {
        var category = Category.playAndRecord
        var mode = Mode.voiceChat
        var options: CategoryOptions = []
        var isOwned = false
        var input: String?
        var output: String?
    }

    private static let instance = AVAudioSession()

    private let state = Mutex(State())

    override private init() {}

    public class func sharedInstance() -> AVAudioSession { instance }

    // MARK: - Configuration

    public var category: Category { state.withLock { $0.category } }

    public var mode: Mode { state.withLock { $0.mode } }

    public var categoryOptions: CategoryOptions { state.withLock { $0.options } }

    /// Samples per second of what the core captures and plays.
    public var sampleRate: Double { 48_000 }

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

    /// Refused while a channel is joined: the system opens and closes the session then. Otherwise it does nothing.
    ///
    /// - Throws: An error of the domain `NSOSStatusErrorDomain` with the code `'ent?'`, as on iOS.
    public func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
        guard state.withLock({ $0.isOwned }) else { return }
        throw NSError(
            domain: "NSOSStatusErrorDomain",
            code: 0x656E_743F,
            userInfo: [
                NSLocalizedDescriptionKey:
                    "a push-to-talk channel is joined: its audio session is opened and closed by the system"
            ]
        )
    }

    // MARK: - Route

    public var currentRoute: AVAudioSessionRouteDescription {
        state.withLock { state in
            AVAudioSessionRouteDescription(
                inputs: state.input.map { [.init(portType: .builtInMic, portName: $0)] } ?? [],
                outputs: state.output.map { [.init(portType: .builtInSpeaker, portName: $0)] } ?? []
            )
        }
    }

    // MARK: - What the library tells

    /// Whether a channel is joined, so that the system opens and closes the session.
    package func owned(by isSystem: Bool) {
        state.withLock { $0.isOwned = isSystem }
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
