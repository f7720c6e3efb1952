import Bitmap
import ChildProcess
import EventLoop
import IndicatorCore

/// Decodes pictures of strangers, each in a process of its own (``PictureProgram``): one that is taken over
/// by a picture has no file, no bus and no network, and one that dies or hangs costs this picture.
@EventLoop
final class PictureDecoder {
    /// The rows and columns of a decoded picture: the largest that a notification shows.
    nonisolated static let size = 96
    /// The limit of what the process writes: the pixels, or why there are none.
    nonisolated static let outputLimit = size * size * 4
    nonisolated private static let reasonLimit = 200

    /// The reason why a picture was not decoded.
    struct Failure: Error, CustomStringConvertible {
        let description: String

        fileprivate init(_ description: String) { self.description = description }
    }

    typealias Completion = @EventLoop (Result<Bitmap, Failure>) -> Void

    private struct Order {
        let imageID: String
        let bytes: [UInt8]
        let then: Completion
    }

    private let program: [String]
    private let timeLimit: Duration
    /// One is decoded at a time: the service's limit of memory has room for one.
    private var waiting: [Order] = []
    private var current: (order: Order, process: ChildProcess)?
    private lazy var limit = TimerSource { [weak self] in self?.expired() }

    /// `timeLimit` is that of one picture.
    init(program: [String] = ["/proc/self/exe", PictureProgram.option], timeLimit: Duration = .seconds(10)) {
        (self.program, self.timeLimit) = (program, timeLimit)
    }

    /// `then` is called once, unless the picture is dropped before.
    func decode(_ imageID: String, _ bytes: [UInt8], then: @escaping Completion) {
        waiting.append(Order(imageID: imageID, bytes: bytes, then: then))
        startNext()
    }

    /// The picture is not wanted any more.
    func drop(_ imageID: String) {
        waiting.removeAll { $0.imageID == imageID }
        guard let current, current.order.imageID == imageID else { return }
        current.process.kill()
        end()
    }

    private func startNext() {
        guard current == nil, !waiting.isEmpty else { return }
        let order = waiting.removeFirst()
        do throws(SystemError) {
            let input = try MemoryFile(order.bytes)
            let output = try MemoryFile()
            let process = try ChildProcess(
                program,
                input: .descriptor(input.descriptor),
                output: .descriptor(output.descriptor),
                errors: .nothing,
                ended: { [weak self] status in self?.finish(Self.result(status, output)) }
            )
            current = (order, process)
            limit.arm(after: timeLimit)
        } catch {
            order.then(.failure(Failure("the decoder does not start: \(error)")))
            startNext()
        }
    }

    private static func result(_ status: Int32, _ output: MemoryFile) -> Result<Bitmap, Failure> {
        if status < 0 { return .failure(Failure("the decoder was ended by signal \(-status)")) }
        if status > 0 {
            // It comes from the process, and so from the stranger.
            let text = DisplayText(String(decoding: output.read(limit: reasonLimit), as: UTF8.self))
            return .failure(Failure(text.isEmpty ? "the decoder ended with status \(status)" : text.text))
        }
        let pixels = output.read(limit: outputLimit + 1)
        guard let picture = Bitmap(size: size, rgba: pixels) else {
            return .failure(Failure("the decoder has written something else than a picture"))
        }
        return .success(picture)
    }

    private func expired() {
        current?.process.kill()
        finish(.failure(Failure("the picture was not decoded within \(timeLimit)")))
    }

    private func finish(_ result: Result<Bitmap, Failure>) {
        let then = current?.order.then
        end()
        then?(result)
    }

    private func end() {
        current = nil
        limit.disarm()
        startNext()
    }
}
