import CommandLineTool
import EventLoop
import Glibc

/// The grant of serial ports, those of a product or one of the machine.
struct SerialGrant {
    private let subject: GrantSubject

    init(_ subject: GrantSubject) {
        self.subject = subject
    }

    /// Writes the rule, or prints it.
    func add(printing isPrinting: Bool) throws {
        guard !isPrinting else { return GrantRule.print(text) }
        try requireRoot("grant \(subject.text) serial")
        try GrantRule(subject).write(text)
        let ports = try apply()
        if ports.isEmpty { Terminal.print("No serial port of \(subject.text) is there yet: plug it in.") }
        for port in ports {
            Terminal.print("/dev/\(port) may be used. Run `pttctl pair`, and press the switch.")
        }
        Terminal.print("Every program of the person at the seat may now open it.")
    }

    var text: String {
        """
        # Written by `pttctl grant \(subject.text) serial`; `sudo pttctl revoke \(subject.text)` removes it.
        # 71-push-to-talk.rules lets the person at the seat open the port, and ptt-accessoryd opens it once it is enrolled.
        ACTION!="remove", SUBSYSTEM=="tty", \(match), ENV{ID_PTT_KEY}="serial"

        """
    }

    private var match: String {
        switch subject {
        case .product(let product):
            #"ATTRS{idVendor}=="\#(product.vendor)", ATTRS{idProduct}=="\#(product.product)""#
        case .port, .actions: #"KERNEL=="\#(subject.text)""#
        }
    }

    /// Makes udev apply its rules to the present ports.
    ///
    /// - Returns: Their names.
    func apply() throws -> [String] {
        try run(["udevadm", "control", "--reload"])
        let ports = present
        guard !ports.isEmpty else { return [] }
        try run(["udevadm", "trigger", "--action=change"] + ports.map { "/sys/class/tty/\($0)" })
        return ports
    }

    private var present: [String] {
        Directory.names(in: "/sys/class/tty").filter { name in
            switch subject {
            case .product(let product): Self.adapter(of: name) == product.text
            case .port(let port): name == port
            case .actions: false
            }
        }
    }

    /// - Returns: The numbers of the USB device that a port belongs to.
    private static func adapter(of port: String) -> String? {
        guard let path = realpath("/sys/class/tty/\(port)/device", nil) else { return nil }
        defer { free(path) }
        var directory = String(cString: path)[...]
        while let end = directory.lastIndex(of: "/") {
            if let vendor = TextFile.firstLine(of: "\(directory)/idVendor"),
                let product = TextFile.firstLine(of: "\(directory)/idProduct")
            {
                return "\(vendor):\(product)"
            }
            directory = directory[..<end]
        }
        return nil
    }
}
