import ArgumentParser
import CommandLineTool
import EventLoop
import Glibc
import Input

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
        switch (subject, key) {
        case (.actions, _): try ActionKeyGrant.add(key.name)
        case (.product(let product), .key(let key)): try grant(product, key)
        case (.product, .serial), (.port, _): try SerialGrant(subject).add(printing: printRule)
        }
    }

    private func grant(_ product: ProductNumbers, _ key: String) throws {
        let rule = GrantRule(subject)
        let text = rule.text(product, key: key)
        guard !printRule else { return GrantRule.print(text) }
        try requireRoot("grant \(product.text) \(key)")
        if !yes, let question = product.question { try ask(question) }
        try rule.write(text)
        let devices = try product.apply()
        if devices.isEmpty {
            Terminal.print("\(key) is used when a device \(product.text) is plugged in.")
        }
        for device in devices {
            Terminal.print("\(key) of \(device.name) (/dev/input/\(device.sysname)) is used.")
        }
        Terminal.print("Every program of the person at the seat may now read all keys of this device.")
    }

    private func ask(_ question: String) throws {
        guard isatty(STDIN_FILENO) == 1 else { throw CommandError("\(question) Then repeat it with --yes.") }
        Terminal.print("\(question) Grant it? [y/N]")
        guard readLine()?.lowercased().hasPrefix("y") == true else {
            throw CommandError("nothing was granted")
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
        let rule = GrantRule(subject)
        let wasGranted = unlink(rule.path) == 0
        guard wasGranted || errno == ENOENT else { throw SystemError("remove \(rule.path)") }
        // Also without a rule: udev may have failed after an earlier call had removed it.
        if case .product(let product) = subject { _ = try product.apply() }
        _ = try SerialGrant(subject).apply()
        guard wasGranted else {
            throw CommandError("\(subject.text) was not granted: there is no \(rule.path)")
        }
        Terminal.print(
            "\(subject.text) is not used any more. Unplug it: until then programs may still read it."
        )
    }
}

func requireRoot(_ command: String) throws {
    guard geteuid() == 0 else { throw CommandError("this needs root: sudo pttctl \(command)") }
}

/// Vendor and product of an input device.
struct ProductNumbers: ExpressibleByArgument {
    /// Four lower-case hexadecimal digits each, as in sysfs.
    let vendor: String
    let product: String

    var text: String { "\(vendor):\(product)" }

    init?(argument: String) {
        let parts = argument.lowercased().split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2,
            parts.allSatisfy({ $0.utf8.count == 4 && $0.allSatisfy(\.isHexDigit) && $0.allSatisfy(\.isASCII) }
            )
        else { return nil }
        (vendor, product) = (String(parts[0]), String(parts[1]))
        // Devices without numbers have these, keyboards on a platform bus among them.
        guard text != "0000:0000" else { return nil }
    }

    /// A present event node.
    struct Device {
        let sysname: String
        let name: String
        var canTypeText = false
    }

    /// Makes udev apply its rules to the present nodes of the product.
    func apply() throws -> [Device] {
        try run(["udevadm", "control", "--reload"])
        let devices = present()
        guard !devices.isEmpty else { return [] }
        try run(["udevadm", "trigger", "--action=change"] + devices.map { "/sys/class/input/\($0.sysname)" })
        return devices
    }

    private func present() -> [Device] {
        Directory.names(in: "/sys/class/input").filter { $0.hasPrefix("event") }.compactMap { sysname in
            let directory = "/sys/class/input/\(sysname)/device"
            func value(_ file: String) -> String? { TextFile.firstLine(of: "\(directory)/\(file)") }
            guard value("id/vendor") == vendor, value("id/product") == product else { return nil }
            let keys = Set<KeyCode>(capabilities: value("capabilities/key") ?? "")
            return Device(sysname: sysname, name: value("name") ?? "", canTypeText: keys.canTypeText)
        }
    }

    /// The question to ask before the product is granted; nil for one that is no keyboard.
    var question: String? { question(about: present()) }

    /// Pedals call themselves keyboards as well, so that only a person can tell. The kernel gives all
    /// keyboards of its own controller the vendor 0001 (drivers/input/keyboard/atkbd.c).
    func question(about devices: [Device]) -> String? {
        let advice =
            "Every program of the person at the seat could read all that is typed on it: "
            + "go on if it is a pedal or a macro pad, and not if you type on it."
        if let device = devices.first(where: \.canTypeText) {
            return "\(text) is \(device.name) (/dev/input/\(device.sysname)), a keyboard. \(advice)"
        }
        return vendor == "0001" ? "\(text) are the numbers of a built-in keyboard. \(advice)" : nil
    }
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
    guard status == 0 else { throw CommandError("\(arguments.joined(separator: " ")) failed") }
}
