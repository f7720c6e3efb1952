import EventLoop
import Glibc

/// A USB device with HID interfaces or a serial port, on the kernel's simulated host controller: real
/// drivers, real udev.
@EventLoop
final class USBGadget {
    nonisolated static let directory = "/sys/kernel/config/usb_gadget"

    /// One HID interface.
    struct Interface {
        let descriptor: [UInt8]
        /// Without the number of the report.
        let reportLength: Int

        /// Consumer control with report 1: play/pause, volume up, volume down.
        static let mediaKeys = Interface(descriptor: mediaCollection, reportLength: 2)
        /// Consumer control, and the telephony collection of a headset with report 2: hook switch, mute.
        static let telephony = Interface(
            descriptor: mediaCollection + [
                0x05, 0x0b, 0x09, 0x05, 0xa1, 0x01, 0x85, 0x02, 0x15, 0x00, 0x25, 0x01, 0x75, 0x01, 0x95,
                0x01, 0x09, 0x20,
                0x81, 0x22, 0x09, 0x2f, 0x81, 0x06, 0x95, 0x06, 0x81, 0x03, 0xc0,
            ],
            reportLength: 2
        )
        /// Six keys of a keyboard, from A to Z, without the boot protocol.
        static let keyboard = Interface(
            descriptor: [
                0x05, 0x01, 0x09, 0x06, 0xa1, 0x01, 0x05, 0x07, 0x19, 0x04, 0x29, 0x1d, 0x15, 0x04, 0x25,
                0x1d,
                0x75, 0x08, 0x95, 0x06, 0x81, 0x00, 0xc0,
            ],
            reportLength: 6
        )

        /// Keys of a keyboard from A to F13, without the boot protocol, with lights: Num Lock is bit 0, Caps
        /// Lock bit 1.
        static let litKeyboard = Interface(
            descriptor: [
                0x05, 0x01, 0x09, 0x06, 0xa1, 0x01, 0x05, 0x08, 0x19, 0x01, 0x29, 0x05, 0x15, 0x00, 0x25,
                0x01,
                0x75, 0x01, 0x95, 0x05, 0x91, 0x02, 0x95, 0x03, 0x91, 0x03, 0x05, 0x07, 0x19, 0x04, 0x29,
                0x68,
                0x15, 0x04, 0x25, 0x68, 0x75, 0x08, 0x95, 0x06, 0x81, 0x00, 0xc0,
            ],
            reportLength: 6
        )

        private static let mediaCollection: [UInt8] = [
            0x05, 0x0c, 0x09, 0x01, 0xa1, 0x01, 0x85, 0x01, 0x15, 0x00, 0x25, 0x01, 0x09, 0xcd, 0x09, 0xe9,
            0x09, 0xea,
            0x75, 0x01, 0x95, 0x03, 0x81, 0x02, 0x95, 0x05, 0x81, 0x03, 0xc0,
        ]
    }

    private let path: String
    private let functions: [String]

    /// With `isSerial` it has a serial port, whose DSR and DCD are on while somebody has ``serialEnd`` open.
    init(
        name: String,
        vendor: String,
        _ interfaces: [Interface] = [],
        isSerial: Bool = false,
        serialNumber: String? = "1"
    ) throws(SystemError) {
        path = "\(Self.directory)/\(name)"
        let ports = isSerial ? ["acm.\(name)"] : []
        functions = interfaces.indices.map { "hid.\(name)\($0)" } + ports
        for directory in ["", "/strings/0x409", "/configs/c.1"] + functions.map({ "/functions/\($0)" }) {
            guard mkdir(path + directory, 0o755) == 0 || errno == EEXIST else {
                throw SystemError("make \(path)")
            }
        }
        try write("/idVendor", vendor)
        try write("/idProduct", "0x5680")
        try write("/strings/0x409/manufacturer", "PTT")
        try write("/strings/0x409/product", name)
        if let serialNumber { try write("/strings/0x409/serialnumber", serialNumber) }
        for (function, interface) in zip(functions, interfaces) {
            try write("/functions/\(function)/report_length", "\(interface.reportLength)")
            try write("/functions/\(function)/report_desc", interface.descriptor)
        }
        for function in functions {
            guard symlink("\(path)/functions/\(function)", "\(path)/configs/c.1/\(function)") == 0 else {
                throw SystemError("use \(function)")
            }
        }
        try write("/UDC", "dummy_udc.0")
    }

    isolated deinit { remove() }

    /// The device's own end of its serial port.
    nonisolated static let serialEnd = "/dev/ttyGS0"

    /// Sends a report of the first interface.
    func send(_ report: [UInt8]) throws(SystemError) {
        try write(file: "/dev/hidg0", report)
    }

    func unplug() throws(SystemError) { try write("/UDC", "\n") }

    /// Waits until nobody has ``serialEnd`` open.
    func remove() {
        // Each step may have been done, or never been reached.
        try? unplug()
        for function in functions { unlink("\(path)/configs/c.1/\(function)") }
        for directory in ["/configs/c.1"] + functions.map({ "/functions/\($0)" }) + ["/strings/0x409", ""] {
            rmdir(path + directory)
        }
    }

    private func write(_ file: String, _ text: String) throws(SystemError) {
        try write(file, Array(text.utf8))
    }

    private func write(_ file: String, _ bytes: [UInt8]) throws(SystemError) {
        try write(file: path + file, bytes)
    }

    private func write(file: String, _ bytes: [UInt8]) throws(SystemError) {
        let descriptor = OwnedDescriptor(adopting: open(file, O_WRONLY | O_CLOEXEC))
        guard descriptor.value >= 0, Glibc.write(descriptor.value, bytes, bytes.count) == bytes.count else {
            throw SystemError("write \(file)")
        }
    }
}

/// The data that the machine sends to the first interface of a gadget: the lights of a keyboard.
@EventLoop
final class GadgetReports {
    private let descriptor: OwnedDescriptor
    private var source: DescriptorSource?

    init(_ handler: @escaping @EventLoop ([UInt8]) -> Void) throws(SystemError) {
        let file = "/dev/hidg0"
        descriptor = OwnedDescriptor(adopting: open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC))
        guard descriptor.value >= 0 else { throw SystemError("open \(file)") }
        let number = descriptor.value
        source = try DescriptorSource(number, .readable) { _ in
            var report = [UInt8](repeating: 0, count: 64)
            let count = read(number, &report, report.count)
            if count > 0 { handler(Array(report[..<count])) }
        }
    }

    // Before the descriptor closes with this object.
    isolated deinit { source?.cancel() }
}
