import AccessoryCore
import ArgumentParser
import Input
import Invocation
import PTTMessages

/// The subject of a grant: its key is used, its port is opened, or it may hold a key.
enum GrantSubject: ExpressibleByArgument {
    case product(ProductID)
    /// A serial port of the machine, `ttyS0` for example.
    case port(String)
    case actions

    init?(argument: String) {
        if argument == "actions" {
            self = .actions
        } else if let product = ProductID(argument), product != ProductID(vendor: 0, product: 0) {
            // Devices without numbers have zeros, keyboards on a platform bus among them.
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
        case (.product, .key), (.product, .serial), (.port, .serial), (.actions, .key): true
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

    /// The question to ask before a key of a product is granted, of which these devices are present; nil for
    /// one that is no keyboard.
    ///
    /// Pedals call themselves keyboards as well, so that only a person can tell. The kernel gives all
    /// keyboards of its own controller the vendor 0001 (drivers/input/keyboard/atkbd.c).
    func question(about devices: [InputNode]) -> String? {
        let advice = Text(
            "Every program of the person at the seat could read all that is typed on it: "
                + "go on if it is a pedal or a macro pad, and not if you type on it."
        )
        if let device = devices.first(where: { $0.keys.canTypeText }) {
            return localized("\(text) is \(device.name) (\(device.devnode)), a keyboard. \(advice)")
        }
        guard case .product(let product) = self, product.vendor == 1 else { return nil }
        return localized("\(text) are the numbers of a built-in keyboard. \(advice)")
    }

    /// The present event nodes of a product.
    var eventNodes: [InputNode] {
        InputNode.present(in: "input").filter { $0.sysname.hasPrefix("event") && includes($0) }
    }

    /// The present serial ports of a product, or that of the machine.
    var ports: [InputNode] { InputNode.present(in: "tty").filter(includes) }

    private func includes(_ node: InputNode) -> Bool {
        switch self {
        case .product(let product): node.id.vendor == product.vendor && node.id.product == product.product
        case .port(let port): node.sysname == port
        case .actions: false
        }
    }
}

/// The part of a device that is granted.
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
              ATTRS{id/vendor}=="\(digits(product.vendor))", ATTRS{id/product}=="\(digits(product.product))"
            """
        case (.product(let product), .serial):
            """
            SUBSYSTEM=="tty", \
            ATTRS{idVendor}=="\(digits(product.vendor))", ATTRS{idProduct}=="\(digits(product.product))"
            """
        case (.port, .key), (.port, .serial), (.actions, .key), (.actions, .serial):
            #"SUBSYSTEM=="tty", KERNEL=="\#(subject.text)""#
        }
    }

    /// As in sysfs.
    private func digits(_ number: UInt16) -> String { String(hexadecimal: UInt64(number), digits: 4) }
}
