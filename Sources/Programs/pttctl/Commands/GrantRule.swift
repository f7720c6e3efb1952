import ArgumentParser
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
    let subject: GrantSubject
    let use: GrantedUse

    static func path(_ subject: GrantSubject) -> String {
        let name = subject.text.split(separator: ":").joined(separator: "-")
        return "/etc/udev/rules.d/70-push-to-talk-\(name).rules"
    }

    var text: String {
        """
        # Written by `pttctl grant \(subject.text) \(use.name)`; `sudo pttctl revoke \(subject.text)` removes it.
        # 71-push-to-talk.rules lets the person at the seat \(purpose).
        ACTION!="remove", \(match), ENV{ID_PTT_KEY}="\(use.name)"

        """
    }

    private var purpose: String {
        switch use {
        case .key: "read the device, and ptt-accessoryd opens it for this key alone"
        case .serial: "open the port, and ptt-accessoryd opens it once it is enrolled"
        }
    }

    private var match: String {
        switch (subject, use) {
        case (.product(let product), .key):
            """
            SUBSYSTEM=="input", KERNEL=="event*", \\
              ATTRS{id/vendor}=="\(product.vendor)", ATTRS{id/product}=="\(product.product)"
            """
        case (.product(let product), .serial):
            #"SUBSYSTEM=="tty", ATTRS{idVendor}=="\#(product.vendor)", ATTRS{idProduct}=="\#(product.product)""#
        case (.port, _), (.actions, _): #"SUBSYSTEM=="tty", KERNEL=="\#(subject.text)""#
        }
    }
}
