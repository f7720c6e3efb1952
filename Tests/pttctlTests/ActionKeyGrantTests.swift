import EventLoop
import Glibc
import PTTMessages
import TestSupport
import Testing

@testable import pttctl

/// The keys that actions may hold.
@Suite struct ActionKeyGrantTests {
    init() { withRunningLoop() }

    /// The built `pttctl` as root, with an `/etc` of its own and a `systemctl` that does nothing.
    @EventLoop
    static func output(of script: String) async throws -> (status: Int32, lines: [String]) {
        let prepared = """
            mount -t tmpfs tmpfs /etc && mount --bind /bin/true /usr/bin/systemctl || exit 99
            pttctl() { '\(TestProcess.built("pttctl"))' "$@"; }
            \(script)
            """
        let arguments = ["unshare", "--mount", "sh", "-c", prepared]
        return try await TestProcess(arguments, mergesErrors: true).output()
    }

    /// A directory that users cannot search would make their policy unreadable, and forbid all channels.
    @Test(
        .enabled(if: getuid() == 0, "grants are root's"),
        .enabled("\(PrivateServiceManager.isImpossible)") { await PrivateServiceManager.isPossible() }
    )
    @EventLoop
    func `all users can read what is granted, whatever mask root has`() async throws {
        let (status, lines) = try await Self.output(
            of: """
                umask 077
                pttctl grant actions KEY_F14 && stat --format %a /etc/pushtotalk /etc/pushtotalk/keys
                """
        )
        #expect(status == 0 && lines.suffix(2) == ["755", "644"], "\(lines)")
    }

    @Test(arguments: [
        ("KEY_F13", ["KEY_F13", "KEY_F14"]), ("KEY_F13\n", ["KEY_F13", "KEY_F14"]),
        ("KEY_F14\nKEY_F13", ["KEY_F14", "KEY_F13"]), ("", ["KEY_F14"]), ("# None", ["KEY_F14"]),
    ])
    func `a granted key is one more, also in a file whose last line has no end`(
        before: String,
        keys: [String]
    ) {
        #expect(KeyInterface.grantedKeys(ActionKeyGrant.text(before, granting: "KEY_F14")) == keys)
    }
}
