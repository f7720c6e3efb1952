import DBus
import EventLoop
import Glibc
import PTTMessages
import TestSupport
import Testing

@testable import ptt_doctor

/// `pttctl doctor` against sound servers, and against files of the user that have a fault.
@Suite struct DoctorUserTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `a microphone is muted, turned down, or there is none`() async throws {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let fixture = try DoctorFixture()
        fixture.environment["PULSE_SERVER"] = sound.address
        var report = try await fixture.run()
        #expect(report["sound"].map(\.severity) == ["ok"])
        #expect(report["microphone"].map(\.severity) == ["ok"])
        #expect(report["recording"].isEmpty)

        try await sound.pactl("set-source-mute", "tone", "1")
        #expect(try await fixture.run()["microphone"].map(\.command) == ["pactl set-source-mute tone 0"])
        try await sound.pactl("set-source-mute", "tone", "0")
        try await sound.pactl("set-source-volume", "tone", "0")
        #expect(try await fixture.run()["microphone"].map(\.command) == ["pactl set-source-volume tone 100%"])
        try await sound.removeMicrophone()
        report = try await fixture.run()
        #expect(report["microphone"].map(\.severity) == ["failure"])
        #expect(report["microphone"].first?.text.contains("only monitors") == true)
    }

    @Test @EventLoop
    func `a Push-to-Talk Microphone that a person has turned down is said, also by pttctl status`()
        async throws
    {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let core = try CoreProcess(soundServer: sound.address)
        try await core.isReady()
        let fixture = try DoctorFixture()
        fixture.environment["PULSE_SERVER"] = sound.address
        fixture.environment["XDG_RUNTIME_DIR"] = core.directory
        func virtual() async throws -> [String] {
            let status = [TestProcess.built("pttctl"), "status"]
            let (_, lines) = try await TestProcess(status, environment: fixture.environment).output()
            return lines.filter { $0.hasPrefix("virtual") }
        }
        try await until { try await sound.pactl("list", "short", "sources").contains("ptt_mic") }
        #expect(try await virtual().count == 1)
        #expect(try await fixture.run()["microphone"].map(\.severity) == ["ok"])
        try await sound.pactl("set-source-volume", "ptt_mic", "0")
        try await sound.pactl("set-sink-volume", "ptt_feed", "0")
        let cures = ["pactl set-source-volume ptt_mic 100%", "pactl set-sink-volume ptt_feed 100%"]
        try await until { try await virtual().count == 3 }
        let lines = try await virtual()
        #expect(try await fixture.run()["microphone"].compactMap(\.command) == cures)
        #expect(zip(lines.dropFirst(), cures).allSatisfy { $0.hasSuffix($1) }, "\(lines)")
    }

    @Test @EventLoop func `a microphone that the configuration names is looked for`() async throws {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let fixture = try DoctorFixture()
        fixture.environment["PULSE_SERVER"] = sound.address
        try fixture.write(
            "microphone = \"Studio\"\n",
            at: fixture.home + "/.config/pushtotalk/pttd.toml"
        )
        #expect(
            try await fixture.run()["microphone"].first?.text.hasPrefix("Studio, which pttd.toml names")
                == true
        )
    }

    @Test @EventLoop func `it records only when asked, and then hears a tone and not a muted microphone`()
        async throws
    {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let fixture = try DoctorFixture()
        fixture.environment["PULSE_SERVER"] = sound.address
        let heard = try await fixture.run(["--record", "200ms"])["recording"]
        #expect(heard.map(\.severity) == ["ok"])
        try await sound.pactl("set-source-mute", "tone", "1")
        let muted = try await fixture.run(["--record", "200ms"])["recording"]
        #expect(muted.map(\.text) == ["the microphone delivers silence"])
        #expect(try await sound.sourceOutputs().isEmpty)
    }

    @Test @EventLoop func `a sound server that is not there, and one that hangs`() async throws {
        let fixture = try DoctorFixture()
        #expect(try await fixture.run()["sound"].first?.text.hasPrefix("there is no sound server") == true)
        let socket = fixture.runtime + "/hung"
        // The kernel accepts connections for it.
        let listening = try UnixSocket.listen(at: socket, .stream)
        fixture.environment["PULSE_SERVER"] = "unix:" + socket
        let report = try await fixture.run(["--record", "1s"])
        #expect(report["sound"].map(\.text) == ["the sound server hangs: it does not answer"])
        #expect(report["recording"].map(\.severity) == ["failure"])
        _ = listening.value
    }

    @Test @EventLoop func `configuration that cannot be used is named with its line`() async throws {
        let fixture = try DoctorFixture()
        let directory = fixture.home + "/.config/pushtotalk"
        try fixture.write("time-limit = 60\nmicrophne = \"x\"\n", at: directory + "/pttd.toml")
        try fixture.write("deny = [\n", at: directory + "/policy.toml")
        try fixture.write("[[device]]\nidentity = 3\n", at: directory + "/devices.toml")
        try fixture.write("[[action]]\ndevice = 3\n", at: directory + "/actions.toml")
        var report = try await fixture.run()
        #expect(report["configuration"].first?.text.contains("line 2, column 1") == true)
        #expect(report["actions"].first?.text.contains("line 2") == true)
        #expect(
            report["configuration"].first?.command
                == "${EDITOR:-vi} \(directory)/pttd.toml && systemctl --user restart pttd"
        )
        #expect(report["policy"].first?.text.contains("no application may join") == true)
        #expect(report["buttons"].first?.text.contains("line 2") == true)

        // Nested too deeply, a pipe that no process writes to, and a link to nothing.
        let nested = String(repeating: "[", count: 20_000)
        try fixture.write("microphone = " + nested, at: directory + "/pttd.toml")
        try fixture.write(
            "[[action]]\ndevice = \"x\"\nbutton = \"talk\"\nkey = \"KEY_F13\"\n",
            at: directory + "/actions.toml"
        )
        unlink(directory + "/devices.toml")
        #expect(mkfifo(directory + "/devices.toml", 0o600) == 0)
        unlink(directory + "/policy.toml")
        #expect(symlink("/nothing", directory + "/policy.toml") == 0)
        report = try await fixture.run()
        for check in ["configuration", "policy", "buttons", "actions"] {
            #expect(report[check].first?.severity == "failure", "\(check)")
        }
        #expect(report["actions"].first?.command == "sudo pttctl grant actions KEY_F13")
        try fixture.write("KEY_F13\n", to: KeyInterface.grants)
        #expect(try await fixture.run()["actions"].map(\.severity) == ["ok"])
    }

    @Test @EventLoop func `an extension of GNOME that is installed is to be enabled`() async throws {
        let bus = try await PrivateBus.start()
        let fixture = try DoctorFixture()
        fixture.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
        fixture.environment["XDG_CURRENT_DESKTOP"] = "GNOME"
        try fixture.write("ID=fedora\n", to: "/etc/os-release")
        let install = "sudo dnf install gnome-shell-extension-appindicator"
        #expect(try await fixture.run()["desktop"].first?.command == install)
        let own = "appindicatorsupport@rgcjonas.gmail.com"
        let extensions = "/gnome-shell/extensions/"
        try fixture.write("{}", at: fixture.home + "/.local/share" + extensions + own + "/metadata.json")
        #expect(try await fixture.run()["desktop"].first?.command == "gnome-extensions enable \(own)")
        let system = "ubuntu-appindicators@ubuntu.com"
        try fixture.write("{}", to: "/usr/share" + extensions + system + "/metadata.json")
        #expect(try await fixture.run()["desktop"].first?.command == "gnome-extensions enable \(system)")
    }

    @Test @EventLoop func `a panel of Plasma that has gone is started again`() async throws {
        let bus = try await PrivateBus.start()
        let fixture = try DoctorFixture()
        fixture.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
        fixture.environment["XDG_CURRENT_DESKTOP"] = "KDE"
        let desktop = try await BusConnection.open(.address(bus.address))
        defer { desktop.close() }
        // That of kded, which is there also without a panel.
        _ = try await desktop.requestName("org.kde.StatusNotifierWatcher")
        let restart = "systemctl --user restart plasma-plasmashell.service"
        #expect(try await fixture.run()["desktop"].first?.command == restart)
        _ = try await desktop.requestName("org.kde.plasmashell")
        #expect(try await fixture.run()["desktop"].first?.severity == "ok")
    }

    @Test @EventLoop func `a talk key that Plasma lists, and that nobody has chosen, is said`() async throws {
        let bus = try await PrivateBus.start()
        let fixture = try DoctorFixture()
        fixture.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
        fixture.environment["XDG_CURRENT_DESKTOP"] = "KDE"
        let shortcuts = try await ScriptedShortcuts.start(bus.address)
        // The indicator has not asked for a key yet.
        #expect(try await fixture.run()["desktop"].last?.severity == "ok")
        shortcuts.keys = [[0, 0, 0, 0]]
        #expect(try await fixture.run()["desktop"].last?.text.contains("none is chosen") == true)
        shortcuts.keys = []
        #expect(try await fixture.run()["desktop"].last?.severity == "warning")
        shortcuts.keys = [[0x100_0038, 0, 0, 0]]
        #expect(try await fixture.run()["desktop"].last?.severity == "ok")
        // Of a desktop that was used before.
        shortcuts.keys = []
        fixture.environment["XDG_CURRENT_DESKTOP"] = "XFCE"
        #expect(try await fixture.run()["desktop"].last?.severity == "ok")
        // Without its settings GNOME asks nobody for a key.
        fixture.environment["XDG_CURRENT_DESKTOP"] = "GNOME"
        try fixture.write("ID=debian\n", to: "/etc/os-release")
        let install = "sudo apt install gnome-control-center"
        #expect(try await fixture.run()["desktop"].last?.command == install)
    }

    @Test @EventLoop
    func `a portal that no program has used yet is not started, and nobody says that there is none`()
        async throws
    {
        let bus = try await PrivateBus.start(services: ["org.freedesktop.portal.Desktop": "/bin/false"])
        let fixture = try DoctorFixture()
        fixture.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
        fixture.environment["XDG_CURRENT_DESKTOP"] = "XFCE"
        #expect(try await fixture.run()["desktop"].last?.text.hasPrefix("whether a key") == true)
    }

    @Test @EventLoop func `a policy of the machine closes all hours`() async throws {
        let fixture = try DoctorFixture()
        try fixture.write("[[closed]]\nfrom = \"00:00\"\nto = \"24:00\"\n", to: "/etc/pushtotalk/policy.toml")
        #expect(try await fixture.run()["policy"].map(\.severity) == ["warning"])
    }

    @Test @EventLoop func `a state directory that is missing, or open to others`() async throws {
        let fixture = try DoctorFixture()
        let state = fixture.home + "/.local/state/pushtotalk"
        #expect(
            try await fixture.run()["state"].map(\.command) == [
                "mkdir -p -m 700 \(state) && systemctl --user restart pttd"
            ]
        )
        try fixture.write("", at: state + "/channel.json")
        #expect(try await fixture.run()["state"].map(\.command) == ["chmod 700 \(state)"])
        chmod(state, 0o700)
        #expect(try await fixture.run()["state"].map(\.severity) == ["ok"])
        // Only root can give a directory away.
        guard getuid() == 0 else { return }
        #expect(chown(state, getuid() + 1, gid_t.max) == 0)
        #expect(try await fixture.run()["state"].map(\.command) == ["sudo chown -R \(getuid()) \(state)"])
    }
}
