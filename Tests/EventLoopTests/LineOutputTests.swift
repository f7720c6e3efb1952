import Glibc
import Testing

@testable import EventLoop

@Suite struct LineOutputTests {
    /// The two ends of a socket, such as that of the journal, or of a pipe.
    private func ends(isSocket: Bool) throws -> (reading: Int32, writing: Int32) {
        if isSocket {
            let (near, far) = try UnixSocket.pair(.stream)
            // Blocking, as the one that systemd connects.
            _ = fcntl(far, F_SETFL, 0)
            return (near, far)
        }
        var numbers: [Int32] = [-1, -1]
        guard pipe(&numbers) == 0 else { throw SystemError("make a pipe") }
        _ = fcntl(numbers[0], F_SETFL, O_NONBLOCK)
        return (numbers[0], numbers[1])
    }

    private func taken(_ descriptor: Int32) -> String {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 { text += buffer[..<count] }
        return String(decoding: text, as: UTF8.self)
    }

    @Test(arguments: [true, false]) func `a stopped reader blocks nothing, and is notified of dropped lines`(
        isSocket: Bool
    ) throws {
        let (reading, writing) = try ends(isSocket: isSocket)
        defer {
            _ = close(reading)
            _ = close(writing)
        }
        let output = LineOutput(writing)
        for number in 0..<10_000 { output.write("line \(number)\n") { "dropped \($0)\n" } }
        var lines = taken(reading).split(separator: "\n")
        #expect(lines.indices.allSatisfy { lines[$0] == "line \($0)" })
        let count = lines.count
        #expect(count < 10_000)
        output.write("last\n") { "dropped \($0)\n" }
        lines = taken(reading).split(separator: "\n")
        #expect(lines == ["dropped \(10_000 - count)", "last"])
    }

    @Test(arguments: [true, false])
    func `lines are written whole, whatever their length and however slow the reader`(
        isSocket: Bool
    ) throws {
        let (reading, writing) = try ends(isSocket: isSocket)
        defer {
            _ = close(reading)
            _ = close(writing)
        }
        let output = LineOutput(writing)
        var text = ""
        for number in 0..<2000 {
            output.write("<\(String(repeating: "ä", count: number * 37 % 3000))>\n") { _ in "left out\n" }
            if number.isMultiple(of: 100) { text += taken(reading) }
        }
        text += taken(reading)
        let lines = text.split(separator: "\n")
        #expect(lines.count > 100)
        #expect(
            lines.allSatisfy {
                $0 == "left out" || $0.hasPrefix("<") && ($0.hasSuffix(">") || $0.hasSuffix("…"))
            }
        )
        #expect(!text.unicodeScalars.contains("\u{FFFD}"))
    }

    @Test(arguments: ["/dev/full", "a pipe without a reader", "a socket without a peer", "no descriptor"])
    func `a line that cannot be written is dropped, and hurts nobody`(target: String) throws {
        let writing: Int32
        switch target {
        case "/dev/full": writing = open(target, O_WRONLY | O_CLOEXEC)
        case "no descriptor": writing = -1
        default:
            let ends = try ends(isSocket: target.contains("socket"))
            _ = close(ends.reading)
            writing = ends.writing
        }
        defer { _ = close(writing) }
        // This process has the default action for SIGPIPE, which ends it.
        signal(SIGPIPE, SIG_DFL)
        let output = LineOutput(writing)
        for _ in 0..<3 { output.write("line\n") { "dropped \($0)\n" } }
    }

    /// It could not be seen from the number of bytes in a pipe that is shared: another writer takes the room
    /// in between.
    @Test func `the descriptor of all others stays blocking`() throws {
        let (reading, writing) = try ends(isSocket: false)
        defer { for end in [reading, writing] { _ = close(end) } }
        LineOutput(writing).write("line\n") { _ in "" }
        #expect(fcntl(writing, F_GETFL) & O_NONBLOCK == 0)
    }

    @Test func `a terminal that is stopped holds nobody up`() throws {
        var (controlling, terminal): (Int32, Int32) = (-1, -1)
        guard openpty(&controlling, &terminal, nil, nil, nil) == 0 else {
            throw SystemError("open a terminal")
        }
        defer { for end in [controlling, terminal] { _ = close(end) } }
        _ = fcntl(controlling, F_SETFL, O_NONBLOCK)
        let output = LineOutput(terminal)
        // Ctrl-S, and later Ctrl-Q.
        tcflow(terminal, TCOOFF)
        for number in 0..<1000 { output.write("line \(number)\n") { "dropped \($0)\n" } }
        #expect(taken(controlling) == "")
        tcflow(terminal, TCOON)
        output.write("last\n") { "dropped \($0)\n" }
        #expect(taken(controlling) == "dropped 1000\r\nlast\r\n")
    }
}
