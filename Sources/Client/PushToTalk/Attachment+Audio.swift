import EventLoop
import PTTMessages
import ServiceClient

/// The access of an attachment to the audio socket.
struct AudioAccess {
    /// Valid as long as the attachment, for one connection at a time.
    let token: String
    var backOff = BackOff(first: .milliseconds(10))
    var attempts = 0
}

extension Attachment {
    /// After this many attempts in a row, which take about ten seconds, the whole attachment is made again.
    private static let audioAttempts = 10

    func openAudio() {
        guard let access = audioAccess, audioSocket == nil else { return }
        do {
            let audioSocket = try AudioSocketClient(token: access.token) { [weak self] in
                self?.captured($0, $1)
            }
            audioSocket.onClose = { [weak self, weak audioSocket] in
                guard let self, audioSocket === self.audioSocket else { return }
                audioLost()
            }
            self.audioSocket = audioSocket
        } catch {
            audioLost()
        }
    }

    func closeAudio() {
        audioAccess = nil
        audioRetry.disarm()
        audioSocket?.close()
        audioSocket = nil
    }

    private func captured(_ header: AudioPacketHeader, _ samples: ArraySlice<UInt8>) {
        audioAccess?.attempts = 0
        audioAccess?.backOff.reset()
        audio.captured(header, samples)
    }

    /// Connects again for the next transmission; the core ends the present one, and reports its end.
    private func audioLost() {
        audioSocket?.close()
        audioSocket = nil
        guard var access = audioAccess else { return }
        access.attempts += 1
        guard access.attempts <= Self.audioAttempts else {
            return lose()
        }
        audioRetry.arm(after: access.backOff.next())
        audioAccess = access
    }

    func send(_ samples: [UInt8], sent: @escaping @EventLoop (Bool) -> Void) {
        guard let audioSocket else { return sent(false) }
        audioSocket.send(samples, sent: sent)
    }
}
