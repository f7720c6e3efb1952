import Bitmap
import ChildProcess
import EventLoop
import Glibc

/// The process that decodes one picture: the same program, started with an option. It reads the file of a
/// stranger from its standard input, and writes the pixels to its standard output.
enum PictureProgram {
    static let option = "--decode-picture"
    /// In bytes. The largest picture takes 40 MB.
    private static let memory = 64 << 20
    /// In seconds.
    private static let processorTime = 5

    /// - Returns: The exit status. With ``EXIT_FAILURE`` a reason was written.
    static func run() -> Int32 {
        do {
            try Confinement.enter(
                memory: memory,
                processorTime: processorTime,
                output: PictureDecoder.outputLimit
            )
            let picture = try Bitmap(decoding: readAll(), size: PictureDecoder.size)
            return write(picture.rgba) ? EXIT_SUCCESS : EXIT_FAILURE
        } catch {
            _ = write(Array("\(error)".utf8))  // A failure could be reported nowhere else.
            return EXIT_FAILURE
        }
    }

    private static func readAll() -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            // What is missing makes a broken picture.
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }

    private static func write(_ bytes: [UInt8]) -> Bool {
        Glibc.write(STDOUT_FILENO, bytes, bytes.count) == bytes.count
    }
}
