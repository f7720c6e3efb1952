import AccessoryCore
import DBus
import EventLoop
import PTTMessages
import ServiceClient

/// A press that records. `pttd` opens the microphone for it, under its rules, and sends what it captures; the
/// end of the connection to it closes the microphone, in whatever way this process ends.
@EventLoop
final class Recording {
    /// For the core to deliver what is on its way, and to close the microphone. Then the connection does it.
    private static let releaseLimit = Duration.seconds(2)

    private let core: ServiceConnection
    /// Says why the recording ended.
    private let events: ServiceConnection
    private let origin: Origin
    private let role: ButtonRole
    private let format: AudioFormat
    private var hasRequested = false
    private let began: @EventLoop () -> Void
    private let ended: @EventLoop (BusDescriptor?, String?) -> Void
    private var file: RecordingFile?
    private var audio: AudioSocketClient?
    private var transmission: TransmissionID?
    private var lastEnd: (TransmissionID, EndCause)?
    private var failure: String?
    private var isReleased = false
    /// The core has said why it ended, or will not.
    private var hasEnded = false
    private lazy var deadline = TimerSource { [weak self] in self?.complete() }

    /// `began` is called later, unless it does not begin. `ended` is called once, after the release or
    /// instead of `began`: with what was recorded, also if something went wrong, nil if that is nothing; and
    /// with why it did not begin, ended before the release, or is not whole.
    ///
    /// - Throws: If the file cannot be made, or the core cannot be reached.
    init(
        _ button: ActionPresses.Button,
        name: String,
        format: AudioFormat,
        began: @escaping @EventLoop () -> Void,
        ended: @escaping @EventLoop (BusDescriptor?, String?) -> Void
    ) throws {
        origin = Origin(kind: .unknown, identifier: button.device, name: name)
        role = button.role
        self.format = format
        self.began = began
        self.ended = ended
        core = try .core()
        events = try .core()
        file = try RecordingFile(format) { [weak self] in self?.fail("\($0)") }
        events.subscribe(
            to: ["transmissionEnded"],
            { [weak self] in self?.handle($0) },
            ended: { [weak self] in self?.unsubscribed($0) }
        )
        core.onClose = { [weak self] in self?.fail("\($0)") }
    }

    /// The first update says that the core tells of ends from now on, also of one that follows at once.
    private func begin() {
        guard !hasRequested, !isReleased else { return }
        hasRequested = true
        let request = ChannelInterface.BeginRequest(
            channelID: nil,
            source: .handsfreeButton,
            origin: origin,
            role: role,
            recording: format
        )
        core.call(ChannelInterface.beginTransmitting, request) { [weak self] in self?.answered($0) }
    }

    private func answered(_ result: Result<ChannelInterface.BeginReply, ServiceError>) {
        do {
            let reply = try result.get()
            guard let token = reply.token else { throw ServiceError.failed(name: "", reason: Self.tooOld) }
            let audio = try AudioSocketClient(token: token) { [weak self] in self?.file?.append($1) }
            audio.onClose = { [weak self] in self?.audioEnded() }
            self.audio = audio
            transmission = reply.transmissionID
            if let lastEnd { transmissionEnded(lastEnd.0, lastEnd.1) }
            began()
        } catch {
            close()
            ended(nil, "\(error)")
        }
    }

    private static let tooOld = "pttd is older than ptt-actions, and records nothing: restart it"

    private func handle(_ update: ChannelInterface.Update) {
        begin()
        guard case .transmissionEnded(let ended, let cause, _) = update.event else { return }
        lastEnd = (ended.transmissionID, cause)
        transmissionEnded(ended.transmissionID, cause)
    }

    private func unsubscribed(_ error: ServiceError) {
        guard hasRequested else { return answered(.failure(error)) }
        hasEnded = true
        completeIfOver()
    }

    private func transmissionEnded(_ transmission: TransmissionID, _ cause: EndCause) {
        guard transmission == self.transmission else { return }
        hasEnded = true
        if cause != .released {
            failure = failure ?? "the recording ended before the release: \(cause.rawValue)"
        }
        completeIfOver()
    }

    /// Why it ended before the release comes by another connection than its last samples.
    private func completeIfOver() {
        if isReleased, audio == nil, hasEnded || failure != nil { complete() }
    }

    /// Closes the microphone. The press goes on until its release.
    private func fail(_ reason: String) {
        failure = failure ?? reason
        core.close()
        audioEnded()
    }

    /// Everything that was captured has come.
    private func audioEnded() {
        audio?.close()
        audio = nil
        completeIfOver()
    }

    /// The button is released.
    func release() {
        guard !isReleased else { return }
        isReleased = true
        deadline.arm(after: Self.releaseLimit)
        // Also where the recording has ended: a button that was held too long is released now.
        let request = ChannelInterface.EndRequest(
            channelID: nil,
            origin: origin,
            cause: .released,
            role: role
        )
        core.call(ChannelInterface.endTransmitting, request) { [weak self] _ in self?.completeIfOver() }
    }

    private func complete() {
        close()
        guard let file else { return }
        self.file = nil
        file.finish { [self] in ended($0, failure) }
    }

    private func close() {
        deadline.disarm()
        audio?.close()
        audio = nil
        core.close()
        events.close()
    }
}
