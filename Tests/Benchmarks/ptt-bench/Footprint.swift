import EventLoop
import Glibc

/// Resident memory of the idle daemons, beside bluetoothd and wireplumber on the same machine.
@EventLoop
struct Footprint {
    private static let limit = 8.0

    private let stack: Stack
    private let daemons: [Child]

    init(_ stack: Stack) throws {
        self.stack = stack
        daemons = [stack.core, stack.bridge].compactMap(\.self)
    }

    func printIdleMemory(_ table: inout Table) async throws {
        let bluetoothd = try await measureBluetoothd()
        let wireplumber = try await measureWireplumber()
        table.printSection("Resident memory, idle: channel joined, button connected (proc(5) VmRSS)")
        for daemon in daemons {
            let own = try ProcessFigures(daemon.processID)
            for (name, other) in [("bluetoothd", bluetoothd), ("wireplumber", wireplumber)] {
                let value = Table.Other(name: name, value: megabytes(other.resident))
                table.printFigure(
                    daemon.name,
                    megabytes(own.resident),
                    .megabytes,
                    value,
                    .figure(Self.limit)
                )
            }
            let value = Table.Other(name: "bluetoothd", value: megabytes(bluetoothd.anonymous))
            table.printFigure(
                "\(daemon.name), not of files",
                megabytes(own.anonymous),
                .megabytes,
                value,
                .none
            )
        }
    }

    /// What still grows after the first presses is a leak.
    func printGrowth(_ table: inout Table) async throws {
        let presses = try await Presses(stack)
        try await presses.press(times: Presses.first)
        let before = try daemons.map { try ProcessFigures($0.processID) }
        try await presses.press(times: Presses.many)
        await pause(.seconds(1))
        table.printSection("Resident memory after \(Presses.many) more presses than \(Presses.first)")
        for (daemon, before) in zip(daemons, before) {
            let after = try ProcessFigures(daemon.processID)
            table.printFigure(
                daemon.name,
                megabytes(after.resident),
                .megabytes,
                Table.Other(name: "before", value: megabytes(before.resident)),
                .ratio(1.02)
            )
            table.printFigure(
                "\(daemon.name), not of files",
                megabytes(after.anonymous),
                .megabytes,
                Table.Other(name: "before", value: megabytes(before.anonymous)),
                .none
            )
        }
    }

    private func megabytes(_ kilobytes: Int) -> Double { Double(kilobytes) / 1024 }

    // MARK: The others

    /// It waits for a kernel that never answers (no-bluetooth.c), so without an adapter: the least that it needs.
    private func measureBluetoothd() async throws -> ProcessFigures {
        let bus = try stack.startBus(named: "bluetooth-bus")
        try await stack.appearance(of: stack.directory + "/bluetooth-bus")
        var environment = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(stack.directory)/bluetooth-bus"]
        environment["LD_PRELOAD"] = stack.programs + "/no-bluetooth.so"
        let child = try stack.start(["/usr/libexec/bluetooth/bluetoothd", "-n"], environment: environment)
        let figures = try await settled(child)
        stack.end(child)
        stack.end(bus)
        return figures
    }

    private func measureWireplumber() async throws -> ProcessFigures {
        let pipewire = try stack.start(["pipewire"])
        try await stack.appearance(of: stack.directory + "/pipewire-0")
        let child = try stack.start(["wireplumber"])
        let figures = try await settled(child)
        stack.end(child)
        stack.end(pipewire)
        return figures
    }

    /// The figures of a program that has come to rest: it has not been woken for a second.
    private func settled(_ child: Child) async throws -> ProcessFigures {
        var last: ProcessFigures?
        while true {
            await pause(.seconds(1))
            guard child.isRunning else { throw Unmeasurable("\(child.name) has ended") }
            let figures = try ProcessFigures(child.processID)
            if figures.voluntarySwitches == last?.voluntarySwitches { return figures }
            last = figures
        }
    }
}
