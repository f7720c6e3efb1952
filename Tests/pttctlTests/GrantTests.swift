import EventLoop
import Glibc
import TestSupport
import Testing

@testable import Input
@testable import pttctl

@Suite struct GrantTests {
    init() { withRunningLoop() }

    @Test func `a grant is a rule for one key of one product`() throws {
        let subject = try #require(GrantSubject(argument: "1A86:e026"))
        #expect(GrantRule.path(subject) == "/etc/udev/rules.d/70-push-to-talk-1a86-e026.rules")
        let rule = GrantRule(subject: subject, use: .key("KEY_F13")).text
        let lines = rule.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(
            lines == [
                #"ACTION!="remove", SUBSYSTEM=="input", KERNEL=="event*", \"#,
                #"  ATTRS{id/vendor}=="1a86", ATTRS{id/product}=="e026", ENV{ID_PTT_KEY}="KEY_F13""#,
            ]
        )
    }

    @Test(arguments: [
        ("0403:6001", "0403-6001", #"ATTRS{idVendor}=="0403", ATTRS{idProduct}=="6001""#),
        ("ttyS0", "ttyS0", #"KERNEL=="ttyS0""#),
    ])
    func `a serial port is granted by the numbers of its adapter or by its name`(
        argument: String,
        file: String,
        match: String
    ) throws {
        let subject = try #require(GrantSubject(argument: argument))
        #expect(GrantRule.path(subject) == "/etc/udev/rules.d/70-push-to-talk-\(file).rules")
        let rule = GrantRule(subject: subject, use: .serial).text
        let lines = rule.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines == [#"ACTION!="remove", SUBSYSTEM=="tty", \#(match), ENV{ID_PTT_KEY}="serial""#])
    }

    @Test(arguments: ["ttyS", "ttyS0\"", "ttyS*", "ttyUSB0", "ttyS1000", "tty0", "ttyS٣"])
    func `a text that is neither numbers nor a port of the machine is refused`(argument: String) {
        #expect(GrantSubject(argument: argument) == nil)
    }

    @Test(arguments: [
        ("0403:6001", "serial", true), ("ttyS0", "serial", true), ("1a86:e026", "KEY_F13", true),
        ("actions", "KEY_F13", true), ("ttyS0", "KEY_F13", false), ("actions", "serial", false),
    ])
    func `only what a device has can be granted`(argument: String, use: String, isPossible: Bool) throws {
        let subject = try #require(GrantSubject(argument: argument))
        #expect(subject.has(try #require(GrantedUse(argument: use))) == isPossible)
    }

    @Test(arguments: [
        ("actions", "KEY_F14", false), ("1a86:e026", "KEY_F14", true), ("ttyS0", "serial", true),
    ])
    func `who asks for a rule that does not exist grants nothing`(
        argument: String,
        use: String,
        hasRule: Bool
    ) throws {
        let subject = try #require(GrantSubject(argument: argument))
        let use = try #require(GrantedUse(argument: use))
        for printsRule in [false, true] {
            #expect(Self.isAccepted(subject, use, printsRule: printsRule) == (hasRule || !printsRule))
        }
    }

    private static func isAccepted(_ subject: GrantSubject, _ use: GrantedUse, printsRule: Bool) -> Bool {
        var command = GrantCommand()
        command.subject = subject
        command.key = use
        command.printRule = printsRule
        do {
            try command.validate()
            return true
        } catch {
            return false
        }
    }

    @Test(arguments: [
        "", "1a86", "1a86:", "1a86:e02", "1a86:e0266", "1a86:*", "1a86:e0\"6", "0000:0000", "1a86:e02６",
    ])
    func `a device without numbers of its own is refused`(argument: String) {
        #expect(GrantSubject(argument: argument) == nil)
    }

    @Test(arguments: [
        "", "F13", "KEY_", "key_f13", "KEY_F13\"", "KEY_*", "KEY_F 13", "KEY_F13\n", "KEY_É", "KEY_F31",
        "BTN_SIED",
    ])
    func `a text that is no name of a key is refused`(argument: String) {
        #expect(GrantedUse(argument: argument) == nil)
    }

    /// A `udevadm` of the test's own, which fails and then does not.
    @Test(
        .enabled(if: getuid() == 0, "grants are root's"),
        .enabled("\(PrivateServiceManager.isImpossible)") { await PrivateServiceManager.isPossible() }
    )
    @EventLoop
    func `a revocation that udev has not taken over can be repeated`() async throws {
        let (_, lines) = try await ActionKeyGrantTests.output(
            of: """
                set -e
                mkdir -p /etc/udev/rules.d /etc/upper /etc/work
                mount -t overlay overlay -o lowerdir=/usr/bin,upperdir=/etc/upper,workdir=/etc/work /usr/bin
                udevadm() { printf '#!/bin/sh\\n%s\\n' "$1" >/usr/bin/udevadm; chmod +x /usr/bin/udevadm; }
                touch /etc/udev/rules.d/70-push-to-talk-1a86-e026.rules
                udevadm 'exit 1'
                pttctl revoke 1a86:e026 || echo failed
                udevadm 'echo "asked: $*"'
                pttctl revoke 1a86:e026 || echo failed
                """
        )
        #expect(lines.filter { $0 == "failed" }.count == 2, "\(lines)")
        #expect(lines.contains("asked: control --reload"), "\(lines)")
    }

    @Test func `a keyboard is granted only to a person who was asked`() throws {
        let keyboard = try #require(GrantSubject(argument: "0001:0001"))
        let typing = InputNode(
            sysname: "event3",
            devnode: "/dev/input/event3",
            name: "AT keyboard",
            keys: [try #require(KeyCode(name: "KEY_A"))]
        )
        #expect(keyboard.question(about: [typing])?.contains("AT keyboard (/dev/input/event3)") == true)
        #expect(keyboard.question(about: []) != nil)
        let pedal = try #require(GrantSubject(argument: "1a86:e026"))
        #expect(pedal.question(about: []) == nil)
        let present = InputNode(sysname: "event5", devnode: "/dev/input/event5", name: "Pedal")
        #expect(pedal.question(about: [present]) == nil)
        #expect(pedal.question(about: [typing]) != nil)
    }
}
