import DBus
import EventLoop
import Glibc
import TestSupport
import Testing

@testable import ptt_doctor

/// `pttctl doctor` against sockets and buses that are missing, stale or hang.
@Suite struct DoctorTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `without sockets both daemons are a failure, and the exit code says so`()
        async throws
    {
        let report = try await DoctorFixture().run()
        #expect(report.status == 1)
        #expect(report["core"].map(\.severity) == ["failure"])
        #expect(report["core"].map(\.command) == ["systemctl --user enable --now pttd.socket"])
        #expect(
            report["accessory-daemon"].map(\.command) == [
                "systemctl --user enable --now ptt-accessoryd.socket"
            ]
        )
    }

    @Test @EventLoop func `without the program beside pttctl the error names it`() async throws {
        let scratch = try Scratch()
        let own = scratch.directory + "/pttctl"
        let copied = try TestProcess(["cp", TestProcess.built("pttctl"), own])
        #expect(try await copied.exitStatus() == 0)
        let process = try TestProcess([own, "doctor"], mergesErrors: true)
        let (status, lines) = try await process.output()
        #expect(status == 1)
        #expect(
            lines.first?.contains("\(scratch.directory)/ptt-doctor: No such file or directory") == true,
            "\(lines)"
        )
    }

    @Test @EventLoop func `a socket that an earlier core has left is stale`() async throws {
        let fixture = try DoctorFixture()
        // The descriptor is closed here, and the file stays.
        _ = try UnixSocket.listen(at: fixture.runtime + "/pushtotalk/core", .stream)
        let report = try await fixture.run()
        #expect(report["core"].map(\.command) == ["systemctl --user restart pttd.socket"])
    }

    @Test @EventLoop func `a core that accepts and never answers hangs, and doctor does not`() async throws {
        let fixture = try DoctorFixture()
        // The kernel accepts connections for it.
        let listening = try UnixSocket.listen(at: fixture.runtime + "/pushtotalk/core", .stream)
        let report = try await fixture.run()
        #expect(report["core"].map(\.text) == ["pttd hangs: it does not answer"])
        #expect(report["core"].map(\.command) == ["systemctl --user restart pttd.service"])
        _ = listening.value
    }

    @Test @EventLoop func `a real core answers with its version`() async throws {
        let core = try CoreProcess()
        try await core.isReady()
        let fixture = try DoctorFixture()
        fixture.environment["XDG_RUNTIME_DIR"] = core.directory
        let report = try await fixture.run()
        #expect(report["core"].map(\.severity) == ["ok"])
    }

    @Test @EventLoop func `the units are those of the user's service manager`() async throws {
        let bus = try await PrivateBus.start()
        let systemd = try await ScriptedServiceManager.start(bus.address)
        let fixture = try DoctorFixture()
        fixture.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
        try fixture.write("ID=debian\n", to: "/etc/os-release")
        try fixture.write("", to: "/bin/pttd")
        try fixture.write("", to: "/bin/ptt-accessoryd")
        for program in ["pttd", "ptt-accessoryd"] { chmod("\(fixture.root)/bin/\(program)", 0o755) }
        #expect(try await fixture.run()["units"].map(\.severity) == ["ok"])

        systemd.units["pttd.socket"]?["UnitFileState"] = .string("disabled")
        systemd.units["pttd.socket"]?["ActiveState"] = .string("inactive")
        systemd.units["ptt-accessoryd.service"]?["ActiveState"] = .string("failed")
        systemd.units["ptt-accessoryd.service"]?["Result"] = .string("start-limit-hit")
        unlink(fixture.root + "/bin/pttd")
        let report = try await fixture.run()
        #expect(
            report["units"].map(\.command) == [
                "systemctl --user enable --now pttd.socket",
                "sudo apt install --reinstall push-to-talk",
                "systemctl --user reset-failed ptt-accessoryd.service",
            ]
        )
        #expect(report["units"][1].text == "pttd.service starts /bin/pttd, which does not exist")
    }

    @Test @EventLoop func `a bus that hangs is reported in time`() async throws {
        let bus = try await PrivateBus.start()
        bus.signal(SIGSTOP)
        defer { bus.signal(SIGCONT) }
        let fixture = try DoctorFixture()
        fixture.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
        let report = try await fixture.run()
        #expect(report["units"].map(\.text) == ["the user's service manager does not answer"])
    }

    @Test @EventLoop func `a bus whose queue is full is reported in time`() async throws {
        let bus = try await PrivateBus.start()
        let connections = try bus.standStill()
        defer {
            for connection in connections { close(connection) }
            bus.signal(SIGCONT)
        }
        let fixture = try DoctorFixture()
        fixture.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
        let report = try await fixture.run()
        #expect(report["units"].map(\.text) == ["the user's service manager does not answer"])
    }
}
