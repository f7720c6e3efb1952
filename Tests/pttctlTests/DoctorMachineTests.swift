import DBus
import EventLoop
import Glibc
import TestSupport
import Testing

@testable import ptt_doctor

/// `pttctl doctor` against logind, BlueZ and files of the system that have a fault.
@Suite struct DoctorMachineTests {
    init() { withRunningLoop() }

    private static let mask = "/etc/udev/rules.d/71-push-to-talk.rules"

    @Test @EventLoop func `a masked rule is unmasked, and a copy in etc is reported`() async throws {
        let fixture = try DoctorFixture()
        #expect(try await fixture.run()["udev-rule"].map(\.severity) == ["failure"])
        try fixture.write("# rule\n", to: "/usr/lib/udev/rules.d/71-push-to-talk.rules")
        #expect(try await fixture.run()["udev-rule"].map(\.severity) == ["ok"])
        try fixture.write("# own\n", to: Self.mask)
        #expect(try await fixture.run()["udev-rule"].map(\.severity) == ["warning"])
        unlink(fixture.root + Self.mask)
        #expect(symlink("/dev/null", fixture.root + Self.mask) == 0)
        let report = try await fixture.run()
        #expect(report["udev-rule"].map(\.severity) == ["failure"])
        #expect(
            report["udev-rule"].map(\.command) == ["sudo rm \(Self.mask) && sudo udevadm control --reload"]
        )
    }

    @Test @EventLoop func `a missing package is named as this distribution names it`() async throws {
        let fixture = try DoctorFixture()
        #expect(try await fixture.run()["udev-rule"].map(\.advice) == ["install push-to-talk again"])
        try fixture.write("ID=fedora\n", to: "/usr/lib/os-release")
        #expect(try await fixture.run()["udev-rule"].map(\.command) == ["sudo dnf reinstall push-to-talk"])
        try fixture.write("ID=ubuntu\nID_LIKE=debian\n", to: "/etc/os-release")
        let command = "sudo apt install --reinstall push-to-talk"
        #expect(try await fixture.run()["udev-rule"].map(\.command) == [command])
    }

    @Test @EventLoop func `the seat is that of this user's sessions`() async throws {
        let bus = try await PrivateBus.start()
        let logind = try await ScriptedLogind.start(
            bus.address,
            ["mine": .init(), "other": .init(user: getuid() + 1)]
        )
        let fixture = try DoctorFixture()
        fixture.environment["DBUS_SYSTEM_BUS_ADDRESS"] = bus.address
        #expect(try await fixture.run()["seat"].map(\.text) == ["session mine is active at seat0"])
        try logind.change("mine", isActive: false)
        #expect(try await fixture.run()["seat"].map(\.command) == ["loginctl activate mine"])
        try logind.remove("mine")
        #expect(
            try await fixture.run()["seat"].map(\.advice) == ["log in at the screen to use a wired headset"]
        )
    }

    @Test @EventLoop func `BlueZ has no adapter, one that is off, or a button that is blocked`() async throws
    {
        let mock: MockedService
        do {
            mock = try await MockedService("bluez5", name: "org.bluez")
        } catch let error as PythonPackage.Missing {
            print("skipped: \(error)")
            try Test.cancel("\(error)")
        }
        let fixture = try DoctorFixture()
        fixture.environment["DBUS_SYSTEM_BUS_ADDRESS"] = mock.bus.address
        #expect(try await fixture.run()["bluetooth"].map(\.text) == ["there is no Bluetooth adapter"])

        try await mock.bluez("AddAdapter", .string("hci0"), .string("laptop"))
        #expect(try await fixture.run()["bluetooth"].map(\.severity) == ["ok"])

        let devices = "[[device]]\nidentity = \"bluetooth:F0:F1:F2:F3:F4:01\"\nname = \"Left hand\"\n"
        try fixture.write(devices, at: fixture.home + "/.config/pushtotalk/devices.toml")
        #expect(try await fixture.run()["buttons"].map(\.command).contains("pttctl pair"))
        let address = BusValue.string("F0:F1:F2:F3:F4:01")
        try await mock.bluez("AddDevice", .string("hci0"), address, .string("PTT"))
        #expect(try await fixture.run()["buttons"].map(\.severity) == ["ok"])
        try await mock.bluez("BlockDevice", .string("hci0"), address)
        #expect(
            try await fixture.run()["buttons"].map(\.command)
                .contains("bluetoothctl unblock F0:F1:F2:F3:F4:01")
        )

        let off = MockedService.properties(["Powered": .boolean(false)])
        try await mock.mock("UpdateProperties", at: "/org/bluez/hci0", [.string("org.bluez.Adapter1"), off])
        var report = try await fixture.run()
        #expect(report["bluetooth"].map(\.command) == ["bluetoothctl power on"])
        #expect(report["bluetooth"].map(\.severity) == ["failure"])

        for (name, text) in [("type", "bluetooth\n"), ("soft", "1\n"), ("hard", "0\n")] {
            try fixture.write(text, to: "/sys/class/rfkill/rfkill0/\(name)")
        }
        report = try await fixture.run()
        #expect(report["bluetooth"].map(\.command) == ["rfkill unblock bluetooth"])
    }

    @Test @EventLoop func `a bluetoothd that hangs, and one that is not there`() async throws {
        let bus = try await PrivateBus.start()
        let fixture = try DoctorFixture()
        fixture.environment["DBUS_SYSTEM_BUS_ADDRESS"] = bus.address
        #expect(try await fixture.run()["bluetooth"].map(\.text) == ["bluetoothd does not run"])
        // It has the name, and answers nothing.
        let peer = try TestProcess(
            [TestProcess.built("ptt-sim"), "--bus", bus.address]
        )
        _ = try await peer.lines.next()
        peer.signal(SIGSTOP)
        let report = try await fixture.run()
        #expect(report["bluetooth"].map(\.text) == ["bluetoothd hangs: it does not answer"])
        peer.signal(SIGCONT)
    }

    @Test @EventLoop func `a system bus that hangs delays nothing else`() async throws {
        let bus = try await PrivateBus.start()
        bus.signal(SIGSTOP)
        defer { bus.signal(SIGCONT) }
        let fixture = try DoctorFixture()
        fixture.environment["DBUS_SYSTEM_BUS_ADDRESS"] = bus.address
        let report = try await fixture.run()
        #expect(report["bluetooth"].map(\.text) == ["the system bus does not answer"])
        #expect(report["seat"].map(\.text) == ["logind does not answer"])
        #expect(report["policy"].count == 1)
    }

    @Test @EventLoop func `a container and Windows are recognised by their files`() async throws {
        let fixture = try DoctorFixture()
        try fixture.write("", to: "/dev/uhid")
        #expect(try await fixture.run()["kernel"].map(\.severity) == ["ok"])
        try fixture.write("podman\n", to: "/run/systemd/container")
        #expect(try await fixture.run()["kernel"].first?.text.contains("a container (podman)") == true)
        try fixture.write("", to: "/proc/sys/fs/binfmt_misc/WSLInterop")
        #expect(try await fixture.run()["kernel"].first?.text.contains("Windows") == true)
    }

    @Test @EventLoop func `namespaces that are refused are seen where the generator of the units sees them`()
        async throws
    {
        let fixture = try DoctorFixture()
        try fixture.write("", to: "/dev/uhid")
        for (setting, value, other) in [
            ("kernel/apparmor_restrict_unprivileged_userns", "1", "0"),
            ("kernel/unprivileged_userns_clone", "0", "1"), ("user/max_user_namespaces", "0", "95000"),
        ] {
            try fixture.write("\(other)\n", to: "/proc/sys/" + setting)
            #expect(try await fixture.run()["kernel"].count == 1)
            try fixture.write("\(value)\n", to: "/proc/sys/" + setting)
            let lines = try await fixture.run()["kernel"]
            #expect(lines.map(\.severity) == ["ok", "ok"])
            #expect(lines.last?.text.contains("run without") == true)
            try fixture.write("\(other)\n", to: "/proc/sys/" + setting)
        }
    }

    @Test @EventLoop func `a call that blocks for ever is given up after the time limit`() async throws {
        let (reading, writing) = try UnixSocket.pair(.stream)
        #expect(fcntl(reading, F_SETFL, fcntl(reading, F_GETFL) & ~O_NONBLOCK) == 0)
        let answer = await Host.bounded {
            // Not by the test, which ends before it.
            defer { close(reading) }
            var byte: UInt8 = 0
            return read(reading, &byte, 1)
        }
        #expect(answer == nil)
        // Lets the thread end.
        close(writing)
    }
}

extension MockedService {
    @EventLoop
    fileprivate func bluez(_ member: String, _ arguments: BusValue...) async throws {
        try await call(
            RemoteInterface(service: "org.bluez", path: "/org/bluez", name: "org.bluez.Mock")
                .call(member, arguments)
        )
    }
}
