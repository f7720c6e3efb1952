import ArgumentParser
import CommandLineTool
import EventLoop
import Input

/// What is granted a key, or as a serial port.
enum GrantSubject: ExpressibleByArgument {
    case product(ProductNumbers)
    /// A serial port of the machine, `ttyS0` for example.
    case port(String)
    case actions

    init?(argument: String) {
        if argument == "actions" {
            self = .actions
        } else if let product = ProductNumbers(argument: argument) {
            self = .product(product)
        } else if Self.isPort(argument) {
            self = .port(argument)
        } else {
            return nil
        }
    }

    private static func isPort(_ name: String) -> Bool {
        let number = name.utf8.dropFirst(4)
        let isNumber = number.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return name.hasPrefix("ttyS") && (1...3).contains(number.count) && isNumber
    }

    /// Returns true if there is such a thing to grant.
    func has(_ use: GrantedUse) -> Bool {
        switch (self, use) {
        case (.product, _), (.port, .serial), (.actions, .key): true
        case (.port, .key), (.actions, .serial): false
        }
    }

    var text: String {
        switch self {
        case .product(let product): product.text
        case .port(let name): name
        case .actions: "actions"
        }
    }
}

/// What is granted of a device.
enum GrantedUse: ExpressibleByArgument {
    /// The kernel's name of a key. With any other, programs could read a device of which no key is used.
    case key(String)
    /// It is a serial port with a switch.
    case serial

    init?(argument: String) {
        if argument == "serial" {
            self = .serial
        } else if KeyCode(name: argument) != nil {
            self = .key(argument)
        } else {
            return nil
        }
    }

    var name: String {
        switch self {
        case .key(let name): name
        case .serial: "serial"
        }
    }
}

/// The udev rule that grants something of a device. Only root can write it, so that a device cannot claim the
/// mark.
struct GrantRule {
    let path: String

    init(_ subject: GrantSubject) {
        let name = subject.text.split(separator: ":").joined(separator: "-")
        path = "/etc/udev/rules.d/70-push-to-talk-\(name).rules"
    }

    /// - Returns: The rule for one key of a product.
    func text(_ product: ProductNumbers, key: String) -> String {
        """
        # Written by `pttctl grant \(product.text) \(key)`; `sudo pttctl revoke \(product.text)` removes it.
        # 71-push-to-talk.rules lets the person at the seat read the device, and ptt-accessoryd opens it for this key alone.
        ACTION!="remove", SUBSYSTEM=="input", KERNEL=="event*", \\
          ATTRS{id/vendor}=="\(product.vendor)", ATTRS{id/product}=="\(product.product)", ENV{ID_PTT_KEY}="\(key)"

        """
    }

    func write(_ text: String) throws {
        try TextFile.edit(path, limit: 64 * 1024, mode: 0o644) { _ in text }
    }

    static func print(_ text: String) {
        for line in text.split(separator: "\n") { Terminal.print(String(line)) }
    }
}
