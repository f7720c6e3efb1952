import ChildProcess
import DBus
import EventLoop
import Glibc

/// A client of a sound server in C (baseline.h), in a process of its own.
@EventLoop
final class SoundClient {
    private let stack: StackFixture
    private let processes: [ChildProcess]
    private let observer: Observer
    private let requests: Int32?
    private let blueZ: PrivateBlueZ?

    /// Starts it; returns when it is ready. If there are buttons, ``press()`` is its request, otherwise
    /// ``request()``.
    static func start(
        _ part: BaselineSound,
        _ arguments: [String],
        _ sound: SoundServer,
        on stack: StackFixture,
        pressedOn buttons: ButtonStack? = nil
    ) async throws -> SoundClient {
        let (far, near) = try PressClient.blockingPair()
        let (output, observed) = try UnixSocket.pair(.stream)
        PressClient.makeBlocking(output)
        var processes = [
            try stack.start(
                [stack.ownProgram, part.rawValue] + arguments,
                input: far,
                output: output,
                environment: sound.environment
            )
        ]
        let observer = try Observer(adopting: OwnedDescriptor(adopting: observed))
        _ = try await observer.next("ready")
        if let buttons {
            let receiver = [
                stack.ownProgram, "baseline-receive", buttons.busAddress, PrivateBlueZ.other.text,
            ]
            processes.append(try stack.start(receiver, output: near))
            // It passes one request on when it has subscribed.
            _ = try await observer.next(part.answer)
        }
        for end in [far, output] + (buttons == nil ? [] : [near]) { _ = close(end) }
        let requests = buttons == nil ? near : nil
        return SoundClient(stack, processes, observer, requests, buttons?.blueZ)
    }

    private init(
        _ stack: StackFixture,
        _ processes: [ChildProcess],
        _ observer: Observer,
        _ requests: Int32?,
        _ blueZ: PrivateBlueZ?
    ) {
        self.stack = stack
        self.processes = processes
        self.observer = observer
        self.requests = requests
        self.blueZ = blueZ
    }

    func end() {
        observer.close()
        if let requests { _ = close(requests) }  // close(2): the descriptor is gone whatever it returns.
        for process in processes.reversed() { stack.end(process) }
    }

    /// Presses its button.
    ///
    /// - Returns: The moment just before.
    func press() throws -> MonotonicInstant {
        guard let blueZ else { throw Unmeasurable("the C client has no button") }
        return try blueZ.notify(PrivateBlueZ.other, 1)
    }

    /// A message on its standard input.
    func request() throws(SystemError) {
        guard let requests, write(requests, [1] as [UInt8], 1) == 1 else {
            throw SystemError("send a request")
        }
    }

    /// The time of the next message of this kind that is later than `start`.
    ///
    /// - Throws: ``NoSound`` if there is none within two seconds.
    func next(_ word: String, after start: MonotonicInstant) async throws -> MonotonicInstant {
        while let message = try await observer.next(word, within: .seconds(2)) {
            let (text, time) = try parsed(message)
            if text == word, time > start { return time }
        }
        throw NoSound()
    }

    /// All messages so far that have not been read.
    func unread() throws -> [(text: String, time: MonotonicInstant)] {
        try observer.removeUnread().map { try parsed($0) }
    }

    private func parsed(_ message: Observer.Message) throws -> (text: String, time: MonotonicInstant) {
        let words = message.text.split(separator: " ")
        guard words.count > 1, let time = Int64(words[words.count - 1]) else {
            throw Unmeasurable("the C client wrote “\(message.text)”")
        }
        return (words.dropLast().joined(separator: " "), MonotonicInstant(nanoseconds: time))
    }
}

/// A sound did not arrive: servers lose some on a busy machine.
struct NoSound: Error {}
