import DBus
import EventLoop
import Glibc
import TestSupport
import Testing

@Suite struct ControlTests {
    init() { withRunningLoop() }

    @Test(arguments: [
        ("", "error: the line is empty"),
        ("dance", "error: there is no command dance; see ptt-sim help buttons"),
        ("press 4", "error: there is no button 4, only 1 to 3"),
        ("press 0", "error: there is no button 0, only 1 to 3"),
        ("press one", "error: expected the number of one button"),
        ("raw 1 8", "error: expected bytes in hexadecimal at the end, for example 81"),
        ("raw 1 +1", "error: expected bytes in hexadecimal at the end, for example 81"),
        ("power maybe", "error: expected on or off"), ("plug it", "error: plug has no arguments"),
        ("revive", "error: bluetoothd is running"),
    ]) @EventLoop
    func `an invalid line is answered with its error`(line: String, answer: String)
        async throws
    {
        let fixture = try await SimulatorFixture()
        #expect(try await fixture.simulator.ask(line) == answer)
    }

    @Test(arguments: ["quit", nil]) @EventLoop
    func `it ends by command and at the end of its input`(command: String?) async throws {
        let fixture = try await SimulatorFixture()
        if let command { fixture.simulator.write(command) } else { fixture.simulator.closeInput() }
        #expect(try await fixture.simulator.exitStatus() == 0)
    }

    @Test @EventLoop func `it ends with an error when the bus ends`() async throws {
        let fixture = try await SimulatorFixture()
        fixture.bus.stop()
        #expect(try await fixture.simulator.exitStatus() == 1)
    }

    @Test @EventLoop func `it ends with an error when there is no bus or another BlueZ`() async throws {
        let fixture = try await SimulatorFixture()
        let program = TestProcess.built("ptt-sim")
        #expect(try await TestProcess([program, "--bus", "unix:path=/nonexistent"]).exitStatus() == 1)
        #expect(try await TestProcess([program, "--bus", fixture.bus.address]).exitStatus() == 1)
        #expect(
            try await TestProcess([program, "--bus", fixture.bus.address, "--button", "x"]).exitStatus()
                == EX_USAGE
        )
    }

    @Test @EventLoop func `a script is carried out at its times`() async throws {
        let path = "/tmp/ptt-sim-script-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        defer { unlink(path) }
        let file = try #require(fopen(path, "we"))
        fputs("# order does not matter\n\n0.10s release 1\n0.05s  disconnect 1\n", file)
        fclose(file)
        let fixture = try await SimulatorFixture("--button", "ffe0", "--known", "--script", path)
        // The simulation ends after its script, although its input has ended.
        fixture.simulator.closeInput()
        #expect(try await fixture.simulator.lines.next() == "0.05s  disconnect 1: ok")
        #expect(try await fixture.simulator.lines.next().hasPrefix("0.10s release 1: error: not notified"))
        #expect(try await fixture.simulator.exitStatus() == 0)
    }

    @Test @EventLoop func `on a terminal keys press, release and choose, and the terminal is restored`()
        async throws
    {
        let bus = try await PrivateBus.start()
        // script(1) puts a terminal between this test and the program.
        let command = "\(TestProcess.built("ptt-sim")) --bus \(bus.address); stty -a | grep -o ' icanon'"
        let terminal = try TestProcess(["script", "-qfec", command, "/dev/null"])
        let lines = terminal.lines
        _ = try await lines.first { $0.hasPrefix("space:") }
        terminal.write("2", terminated: false)
        #expect(try await lines.next().hasPrefix("button 2: ASB01"))
        terminal.write(" ", terminated: false)
        #expect(try await lines.next().hasPrefix("error: not notified: button 2"))
        terminal.write("q", terminated: false)
        #expect(try await lines.next().hasPrefix(" icanon"))
        #expect(try await terminal.exitStatus() == 0)
    }
}
