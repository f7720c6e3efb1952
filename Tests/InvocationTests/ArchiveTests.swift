import EventLoop
import Foundation
import Glibc
import TestSupport
import Testing

/// The scripts of the archive for other distributions, with files of one line in place of the programs.
@Suite(.timeLimit(.minutes(1)))
struct ArchiveTests {
    init() { withRunningLoop() }

    private static let scripts = URL(filePath: #filePath).appending(path: "../../../packaging/archive")
        .standardized.path

    /// Runs a script beside an unpacked archive, with a home directory, a `systemctl` that writes down what
    /// it is asked, and nothing that would change this machine.
    @EventLoop
    private static func output(of script: String, in namespace: [String] = []) async throws -> [String] {
        let scratch = try Scratch()
        let prepared = """
            cd '\(scratch.directory)' && mkdir -p home bin files/system/etc files/root files/prefix/lib/systemd/user
            export HOME=$PWD/home PATH=$PWD/bin:$PATH
            unset XDG_DATA_HOME
            for script in install remove; do
              sed "s|@arch@|$(uname -m)|" '\(scripts)'/$script >$script; chmod +x $script
            done
            echo 'echo "$@" >>$HOME/asked' >bin/systemctl
            for program in udevadm systemd-hwdb; do echo : >bin/$program; done
            chmod +x bin/*
            echo pttd >files/prefix/lib/systemd/user/pttd.service
            echo rule >files/system/etc/ptt.rules
            \(script)
            """
        let process = try TestProcess(namespace + ["sh", "-euc", prepared], mergesErrors: true)
        let (status, lines) = try await process.output()
        #expect(status == 0, "\(lines)")
        return lines
    }

    /// As a person who is not root.
    @EventLoop
    private static func output(atHome script: String) async throws -> [String] {
        try await output(of: "echo 'echo 1000' >bin/id; chmod +x bin/id\n\(script)")
    }

    @Test @EventLoop func `units of others in the same folder are left alone`() async throws {
        let lines = try await Self.output(
            atHome: """
                mkdir -p home/.local/lib/systemd/user
                echo foreign >home/.local/lib/systemd/user/foreign.service
                ./install >log
                ls home/.local/share/systemd/user
                ./remove
                ls home/.local/lib/systemd/user
                """
        )
        #expect(lines == ["pttd.service", "foreign.service"])
    }

    @Test @EventLoop func `what runs ends before its files go`() async throws {
        let lines = try await Self.output(atHome: "./install >log; rm home/asked; ./remove; cat home/asked")
        // ptt-keys is root's.
        let units = try FileManager.default.contentsOfDirectory(atPath: Self.scripts + "/../../systemd")
            .filter { $0.hasSuffix(".socket") || $0.hasSuffix(".service") }
            .filter { !$0.hasPrefix("ptt-keys") }
        let ended = try #require(lines.first { $0.contains("--now") }).split(separator: " ").map(String.init)
        #expect(Set(units).isSubset(of: ended), "\(lines)")
    }

    @Test @EventLoop func `what runs is started again by an upgrade`() async throws {
        let lines = try await Self.output(atHome: "./install >log; ./install >log; cat home/asked")
        let restarts = lines.filter { $0.hasPrefix("--user try-restart ") }
        #expect(restarts.count == 2 && restarts.allSatisfy { $0.contains(" pttd.service ") }, "\(lines)")
    }

    @Test(
        .enabled(if: getuid() == 0, "it is installed for all users by root"),
        .enabled("\(PrivateServiceManager.isImpossible)") { await PrivateServiceManager.isPossible() }
    )
    @EventLoop
    func `a file that a version no longer has goes, also after an installation for the system alone`()
        async throws
    {
        let lines = try await Self.output(
            of: """
                mount -t tmpfs tmpfs /etc
                mount -t tmpfs tmpfs /usr/local
                ./install >log
                ./install --system >>log
                mv files/system/etc/ptt.rules files/system/etc/new.rules
                ./install >>log
                ls /etc
                """,
            in: ["unshare", "--mount"]
        )
        #expect(lines == ["new.rules"])
    }

    @Test(
        .enabled(if: getuid() == 0, "it is installed for all users by root"),
        .enabled("\(PrivateServiceManager.isImpossible)") { await PrivateServiceManager.isPossible() }
    )
    @EventLoop
    func `root's daemon ends before its files go, and not with an installation for the system alone`()
        async throws
    {
        let lines = try await Self.output(
            of: """
                mount -t tmpfs tmpfs /etc
                mount -t tmpfs tmpfs /usr/local
                mkdir -p files/root/lib/systemd/system
                echo keys >files/root/lib/systemd/system/ptt-keys.service
                ./install --system >log
                ./remove
                grep -c ptt-keys home/asked || true
                ./install >>log
                ./remove >>log
                grep ptt-keys home/asked
                """,
            in: ["unshare", "--mount"]
        )
        #expect(lines == ["0", "disable --now ptt-keys.service ptt-keys.socket"])
    }
}
