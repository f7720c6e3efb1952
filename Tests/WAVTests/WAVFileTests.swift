import Foundation
import Glibc
import Testing
import WAV

@Suite struct WAVFileTests {
    private let path = NSTemporaryDirectory() + "/wav-test-\(UInt64.random(in: 0 ... .max)).wav"

    @Test func `the header of a finished file has the length of its audio`() throws {
        defer { unlink(path) }
        var file = try WAVFile(creating: path, rate: 8000, channels: 2)
        try file.append([1, 2, 3, 4])
        try file.append(ArraySlice<UInt8>([5, 6, 7, 8]))
        #expect(file.duration == .microseconds(250))
        try file.finish()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(bytes.count == 52)
        #expect(bytes[0..<4] == Data("RIFF".utf8))
        #expect(number(bytes, at: 4) == 44)
        #expect(number(bytes, at: 24) == 8000)
        #expect(number(bytes, at: 28) == 32_000)
        #expect(number(bytes, at: 40) == 8)
        #expect(Array(bytes[44...]) == [1, 2, 3, 4, 5, 6, 7, 8])
    }

    @Test func `a file that the disk has no more room for has the length of what it has`() throws {
        defer { unlink(path) }
        var file = try WAVFile(creating: path, rate: 8000, channels: 1)
        try file.append([1, 2, 3, 4])
        // A process may not write beyond this size (setrlimit(2)): as with a full disk, write(2) fails.
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(1), &limit)
        let old = signal(SIGXFSZ, SIG_IGN)
        var small = rlimit(rlim_cur: 48, rlim_max: limit.rlim_max)
        setrlimit(__rlimit_resource_t(1), &small)
        defer {
            setrlimit(__rlimit_resource_t(1), &limit)
            signal(SIGXFSZ, old)
        }
        var isFull = false
        do { try file.append([5, 6]) } catch { isFull = true }
        try file.finish()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(isFull && bytes.count == 48)
        #expect(number(bytes, at: 4) == 40)
        #expect(number(bytes, at: 40) == 4)
    }

    @Test func `a directory that does not exist is an error that names the file`() {
        #expect(throws: (any Error).self) {
            _ = try WAVFile(creating: "/nowhere/sound.wav", rate: 8000, channels: 1)
        }
    }

    private func number(_ bytes: Data, at offset: Int) -> Int {
        bytes[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
