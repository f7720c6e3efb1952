import PTTMessages

// One line per event and per effect, in the terms that the scenario files of the tests are written in: lines
// of a daemon's log, each with its time before it, are a scenario. See `TraceEncoder` for what is quoted and
// cut short.

extension TalkSession.Event: CustomStringConvertible {
    package var description: String { TraceEncoder.text(self) }
}

extension TalkSession.Effect: CustomStringConvertible {
    package var description: String {
        switch self {
        case .openCapture(let capture, let format): "openCapture \(capture.rawValue) \(traced(format))"
        case .closeCapture(let capture): "closeCapture \(capture.rawValue)"
        case .deliverFrames(let capture, .client(let client)):
            "deliverFrames \(capture.rawValue) client \(client.rawValue)"
        case .deliverFrames(let capture, .virtualMicrophone):
            "deliverFrames \(capture.rawValue) virtualMicrophone"
        case .stopFrames(let capture): "stopFrames \(capture.rawValue)"
        case .openPlayback(let playback, let format, let client):
            "openPlayback \(playback.rawValue) \(traced(format)) client \(client.rawValue)"
        case .closePlayback(let playback): "closePlayback \(playback.rawValue)"
        case .setTimer(let time): "setTimer \(time)"
        case .cancelTimer: "cancelTimer"
        case .saveChannel(let saved): "saveChannel \(saved.map { TraceEncoder.text($0) } ?? "none")"
        case .saveDescriptor(let descriptor):
            "saveDescriptor \(descriptor.map { TraceEncoder.text($0) } ?? "none")"
        case .saveVolume(let volume): "saveVolume \(volume)"
        case .reply(let id, let answer): "reply \(id.rawValue) \(answer)"
        case .publish(let event): "publish \(TraceEncoder.text(event))"
        case .notify(let client, let event): "notify client \(client.rawValue) \(TraceEncoder.text(event))"
        case .startApplication(let startID, let application, by: let activation):
            "startApplication \(startID.rawValue) \(application.rawValue.traced) \(TraceEncoder.text(activation))"
        case .setVolume(let volume): "setVolume \(volume)"
        case .playTone(let tone): "playTone \(tone)"
        case .playTalkPermit(let capture): "playTalkPermit \(capture.rawValue)"
        case .log(let text): "log \(text.traced)"
        }
    }
}

func words(_ words: String?...) -> String {
    words.compactMap(\.self).joined(separator: " ")
}

func traced(_ token: PushToken) -> String {
    String(token.rawValue.prefix(4))
}

func traced(_ format: AudioFormat) -> String {
    "\(format.rate)/\(format.channels)"
}
