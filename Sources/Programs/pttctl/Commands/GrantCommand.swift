import ArgumentParser
import CommandLineTool
import EventLoop
import Glibc
import Input
import Invocation
import PTTMessages

struct GrantCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grant",
        abstract: "Use one key of a pedal, mouse or macro pad, or a serial port; or let actions hold a key.",
        discussion: """
            Needs root: sudo pttctl grant 1a86:e026 KEY_F13. `lsusb` shows the numbers, `sudo evtest` the key.

            It writes a udev rule. ptt-accessoryd then opens the device so that it receives this key and no other, but \
            every program of the person at the seat may read all of its keys: grant a pedal, never the keyboard that you \
            type on. Other programs still receive the key, so set the pedal to one that they do not use, such as F14.

            sudo pttctl grant 0403:6001 serial lets the person at the seat open all serial adapters with these numbers, and \
            sudo pttctl grant ttyS0 serial a port of the machine itself. `pttctl pair` then finds a foot switch there. It \
            raises DTR and RTS of all of them, which resets a microcontroller.

            sudo pttctl grant actions KEY_F14 lets the actions of the person in front of the screen hold this key, of an \
            input device that exists as long as an action names it.
            """
    )

    @Argument(
        help: """
            The USB or Bluetooth numbers of the device, VENDOR:PRODUCT in hexadecimal; a serial port, ttyS0 for example; or \
            `actions`.
            """
    )
    var subject: GrantSubject

    @Argument(help: "The kernel's name of the key, for example KEY_F13; or `serial`.")
    var key: GrantedUse

    @Flag(help: "Print the rule instead of writing it. Does not need root.")
    var printRule = false

    @Flag(name: [.short, .long], help: "Do not ask before a device is granted on which text can be typed.")
    var yes = false

    func validate() throws {
        guard subject.has(key) else { throw ValidationError("\(subject.text) has no \(key.name) to grant") }
        if printRule, case .actions = subject {
            throw ValidationError("there is no rule to print: a key for actions is granted without one")
        }
    }

    func run() throws {
        if case .actions = subject { return try ActionKeyGrant.add(key.name) }
        let rule = GrantRule(subject: subject, use: key).text
        guard !printRule else {
            for line in rule.split(separator: "\n") { Terminal.print(String(line)) }
            return
        }
        try requireRoot("grant \(subject.text) \(key.name)")
        if !yes, case .key = key, let question = subject.question(about: subject.eventNodes) {
            try ask(question)
        }
        try TextFile.edit(GrantRule.path(subject), limit: 64 * 1024, mode: 0o644) { _ in rule }
        try applyRule()
    }

    private func applyRule() throws {
        switch key {
        case .key(let key):
            let devices = try applyRules(to: subject.eventNodes)
            if devices.isEmpty {
                Terminal.print(localized("\(key) is used when a device \(subject.text) is plugged in."))
            }
            for device in devices {
                Terminal.print(localized("\(key) of \(device.name) (\(device.devnode)) is used."))
            }
            Terminal.print(
                localized("Every program of the person at the seat may now read all keys of this device.")
            )
        case .serial:
            let ports = try applyRules(to: subject.ports)
            if ports.isEmpty {
                Terminal.print(localized("No serial port of \(subject.text) is there yet: plug it in."))
            }
            for port in ports {
                Terminal.print(
                    localized("\(port.devnode) may be used. Run `pttctl pair`, and press the switch.")
                )
            }
            Terminal.print(localized("Every program of the person at the seat may now open it."))
        }
    }

    private func ask(_ question: String) throws {
        guard isatty(STDIN_FILENO) == 1 else {
            throw CommandError(localized("\(question) Then repeat it with --yes."))
        }
        Terminal.print(localized("\(question) Grant it? [y/N]"))
        guard readLine()?.lowercased().hasPrefix("y") == true else {
            throw CommandError(localized("nothing was granted"))
        }
    }
}

struct RevokeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Undo `pttctl grant`. Needs root."
    )

    @Argument(help: "VENDOR:PRODUCT or a serial port, as granted; or `actions`, for all keys.")
    var subject: GrantSubject

    func run() throws {
        if case .actions = subject { return try ActionKeyGrant.remove() }
        try requireRoot("revoke \(subject.text)")
        let rule = GrantRule.path(subject)
        let wasGranted = unlink(rule) == 0
        guard wasGranted || errno == ENOENT else { throw SystemError("remove \(rule)") }
        // Also without a rule: udev may have failed after an earlier call had removed it.
        _ = try applyRules(to: subject.eventNodes + subject.ports)
        guard wasGranted else {
            throw CommandError(localized("\(subject.text) was not granted: there is no \(rule)"))
        }
        Terminal.print(
            localized(
                "\(subject.text) is not used any more. Unplug it: until then programs may still read it."
            )
        )
    }
}

func requireRoot(_ command: String) throws {
    guard geteuid() == 0 else { throw CommandError(localized("this needs root: sudo pttctl \(command)")) }
}

/// Makes udev read its rules again, and apply them to the devices that are present then, which are returned.
private func applyRules(to present: @autoclosure () -> [InputNode]) throws -> [InputNode] {
    try run(["udevadm", "control", "--reload"])
    let devices = present()
    let folders = devices.map { "/sys/class/\($0.isSerialPort ? "tty" : "input")/\($0.sysname)" }
    if !folders.isEmpty { try run(["udevadm", "trigger", "--action=change"] + folders) }
    return devices
}

func run(_ arguments: [String]) throws {
    var argv = arguments.map { strdup($0) } + [nil]
    defer { for case let argument? in argv { free(argument) } }
    // Not the caller's PATH: this runs as root.
    var environment: [UnsafeMutablePointer<CChar>?] = [strdup("PATH=/usr/sbin:/usr/bin:/sbin:/bin"), nil]
    defer { free(environment[0]) }
    var pid: pid_t = 0
    var path = "/usr/bin/\(arguments[0])"
    if access(path, X_OK) != 0 { path = "/bin/\(arguments[0])" }
    let code = posix_spawn(&pid, path, nil, nil, &argv, &environment)
    guard code == 0 else { throw SystemError("run \(path)", code) }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 {
        guard errno == EINTR else { throw SystemError("wait for \(path)") }
    }
    guard status == 0 else { throw CommandError(localized("\(arguments.joined(separator: " ")) failed")) }
}
