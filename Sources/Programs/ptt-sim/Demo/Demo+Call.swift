import ChildProcess
import EventLoop
import Glibc
import PTTMessages
import ServiceClient

// The second act: a program that knows nothing of push-to-talk records from the Push-to-Talk Microphone, as a
// call does.
extension Demo {
    enum Call {
        case starting
        case recording
    }

    /// The time for which the program hears silence before the press and after it.
    private static let silence = Duration.milliseconds(500)
    private static let press = Duration.seconds(1)

    /// Leaves the channel, so that a press goes to the Push-to-Talk Microphone.
    func startCall() {
        printLine("")
        printLine(
            "without an application: parecord, which could be any call, chooses the Push-to-Talk Microphone"
        )
        timeline = Timeline()
        call = .starting
        stack?.endApplication()
        expect("parecord did not record from the Push-to-Talk Microphone")
        EventLoop.start { [weak self] in
            do throws(ServiceError) {
                // On the connection with the subscription a reply would wait for its end.
                let core = try ServiceConnection.core()
                try await core.leave(nil)
                core.close()
            } catch {
                self?.fail("\(error)")
            }
        }
    }

    func callUpdated(_ event: CoreEvent, at time: Int64) {
        if case .channelLeft = event {
            attempt { try stack?.startRecorder() }
        } else if case .virtualMicrophoneChanged(.recorded(let applications)) = event, call == .starting {
            call = .recording
            timeline.note("\(applications.joined(separator: ", ")) records, and hears silence", at: time)
            wait(Self.silence) { [weak self] in self?.press() }
        } else if case .transmissionRefused(_, let refusal) = event {
            fail(refusal.reason)
        } else if case .transmissionBegan = event {
            timeline.note("transmission began", at: time)
        } else if case .audioActivated = event {
            timeline.note("microphone open: first sound captured", at: time)
            wait(Self.press) { [weak self] in self?.release() }
        } else if case .transmissionEnded(_, let cause, _) = event {
            timeline.note("transmission ended: \(cause.rawValue)", at: time)
        } else if case .audioDeactivated = event {
            timeline.note("microphone closed: silence again", at: time)
            wait(Self.silence) { [weak self] in self?.endCall() }
        }
    }

    private func endCall() {
        timer?.disarm()
        attempt {
            guard let stack else { return }
            let samples = try stack.recordedSamples()
            for line in timeline.lines { printLine(line) }
            guard let first = samples.firstIndex(where: { $0 != 0 }),
                let last = samples.lastIndex(where: { $0 != 0 })
            else { return fail("parecord heard nothing of the press") }
            let lengths = [first, last + 1 - first, samples.count - last - 1].map { count in
                "\(Double(count * 100 / DemoStack.recordingRate) / 100) s"
            }
            printLine(
                "parecord heard \(lengths[0]) of silence, \(lengths[1]) of the microphone, \(lengths[2]) of silence"
            )
            end(EXIT_SUCCESS)
        }
    }
}
