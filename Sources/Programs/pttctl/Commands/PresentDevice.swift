import AccessoryCore
import CommandLineTool
import EventLoop
import Glibc
import Input

/// A device that a grant applies to at once.
struct PresentDevice {
    /// `input` or `tty`.
    let subsystem: String
    let sysname: String
    var name = ""
    var canTypeText = false

    /// Makes udev read its rules again, and apply them to the devices that are present then.
    ///
    /// - Returns: These devices.
    static func applyRules(to present: @autoclosure () -> [PresentDevice]) throws -> [PresentDevice] {
        try run(["udevadm", "control", "--reload"])
        let devices = present()
        let folders = devices.map { "/sys/class/\($0.subsystem)/\($0.sysname)" }
        if !folders.isEmpty { try run(["udevadm", "trigger", "--action=change"] + folders) }
        return devices
    }
}

extension GrantSubject {
    /// The present event nodes of a product.
    var eventNodes: [PresentDevice] {
        guard case .product(let product) = self else { return [] }
        let nodes = Directory.names(in: "/sys/class/input").filter { $0.hasPrefix("event") }
        return nodes.compactMap { sysname in
            let directory = "/sys/class/input/\(sysname)/device"
            func value(_ file: String) -> String? { TextFile.firstLine(of: "\(directory)/\(file)") }
            guard let vendor = value("id/vendor"), let number = value("id/product"),
                "\(vendor):\(number)" == product.text
            else { return nil }
            let canTypeText = Set<KeyCode>(capabilities: value("capabilities/key") ?? "").canTypeText
            return PresentDevice(
                subsystem: "input",
                sysname: sysname,
                name: value("name") ?? "",
                canTypeText: canTypeText
            )
        }
    }

    /// The present serial ports of a product, or that of the machine.
    var ports: [PresentDevice] {
        let names = Directory.names(in: "/sys/class/tty").filter { name in
            switch self {
            case .product(let product): Self.adapter(of: name) == product.text
            case .port(let port): name == port
            case .actions: false
            }
        }
        return names.map { PresentDevice(subsystem: "tty", sysname: $0) }
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
