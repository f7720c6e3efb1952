import Bitmap
import ChildProcess
import EventLoop
import Foundation
import Glibc
import TestSupport
import Testing

@testable import ptt_indicator

/// The process in which the pictures of strangers are decoded, and what becomes of one that fails.
@Suite(.timeLimit(.minutes(2)))
struct PictureDecoderTests {
    init() { withRunningLoop() }

    private static let program = [TestProcess.built("ptt-indicator"), PictureProgram.option]
    private static let png = Array(Data(base64Encoded: PictureTests.green) ?? Data())

    @EventLoop private static func decode(
        _ bytes: [UInt8],
        by program: [String],
        within limit: Duration = .seconds(60)
    )
        async throws -> String
    {
        let decoder = PictureDecoder(program: program, timeLimit: limit)
        let results = AsyncQueue(of: String.self)
        decoder.decode("image", bytes) { result in
            switch result {
            case .success(let picture): results.add("\(picture.rgba.prefix(4))")
            case .failure(let failure): results.add("\(failure)")
            }
        }
        let result = try await results.next()
        withExtendedLifetime(decoder) {}
        return result
    }

    @Test @EventLoop func `a picture is decoded in a process of its own`() async throws {
        #expect(try await Self.decode(Self.png, by: Self.program) == "[0, 200, 0, 255]")
    }

    @Test @EventLoop func `a file of another kind is refused with the reason`() async throws {
        let result = try await Self.decode(Array("GIF89a".utf8), by: Self.program)
        #expect(result == "the file is neither PNG, JPEG nor WebP")
    }

    @Test @EventLoop func `a broken picture is refused with the decoder's reason`() async throws {
        var bytes = Self.png
        bytes[50] ^= 0xFF
        #expect(try await Self.decode(bytes, by: Self.program).hasPrefix("the picture cannot be decoded: "))
    }

    /// It reads the picture of a stranger, and by then it has nothing left.
    @Test @EventLoop func `the process is confined before it reads`() async throws {
        let ended = AsyncQueue(of: Int32.self)
        let process = try ChildProcess(
            Self.program,
            input: .owner,
            output: .nothing,
            errors: .nothing,
            ended: { ended.add($0) }
        )
        var status = ""
        try await until {
            status = try String(contentsOfFile: "/proc/\(process.processID)/status", encoding: .utf8)
            return status.contains("Seccomp:\t2")
        }
        #expect(status.contains("NoNewPrivs:\t1"))
        #expect(status.contains("Threads:\t1\n"))
        let limits = try String(contentsOfFile: "/proc/\(process.processID)/limits", encoding: .utf8)
            .split(separator: " ").joined(separator: " ")
        #expect(limits.contains("Max cpu time 5 5 "))
        #expect(limits.contains("Max data size 67108864 67108864 "))
        #expect(limits.contains("Max file size 36864 36864 "))
        #expect(limits.contains("Max core file size 0 0 "))
        process.closeInput()
        #expect(try await ended.next() == EXIT_FAILURE)
    }

    @Test(arguments: [
        ("kill -SEGV $$", "the decoder was ended by signal 11"),
        ("exit 0", "the decoder has written something else"),
        ("head -c 36865 /dev/zero", "the decoder has written something else"),
        ("exit 3", "the decoder ended with status 3"), ("printf 'no\\033[2J'; exit 1", "no [2J"),
        ("while :; do :; done", "the picture was not decoded within"),
    ])
    @EventLoop func `a decoder that fails costs one picture`(script: String, reason: String) async throws {
        let limit = Duration.seconds(script.hasPrefix("while") ? 1 : 60)
        let result = try await Self.decode(Self.png, by: ["/bin/sh", "-c", script], within: limit)
        #expect(result.hasPrefix(reason))
    }

    @Test @EventLoop func `a decoder that is not there costs one picture`() async throws {
        let result = try await Self.decode(Self.png, by: ["/nonexistent/decoder"])
        #expect(result.hasPrefix("the decoder does not start"))
    }

    @Test @EventLoop func `a picture that is not wanted any more does not hold up the next`() async throws {
        let decoder = PictureDecoder(
            program: ["/bin/sh", "-c", "read -r line || exit 1; exec sleep 600"],
            timeLimit: .seconds(600)
        )
        let results = AsyncQueue(of: String.self)
        for name in ["first", "second"] {
            decoder.decode(name, Self.png) { _ in results.add(name) }
        }
        decoder.drop("first")
        decoder.drop("second")
        decoder.decode("third", []) { _ in results.add("third") }
        #expect(try await results.next() == "third")
    }
}
