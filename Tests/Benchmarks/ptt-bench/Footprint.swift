import ChildProcess
import EventLoop
import Glibc

/// Memory of the daemons, beside bluetoothd and wireplumber on the same machine.
@EventLoop
struct Footprint {
    /// Enough to have touched what a press needs.
    private static let presses = 1000

    private let stack: StackFixture
    private let core: ChildProcess
    private let accessoryd: ChildProcess

    init(_ stack: StackFixture) throws {
        guard let core = stack.core, let accessoryd = stack.accessoryd else {
            throw Unmeasurable("the daemons do not run")
        }
        (self.stack, self.core, self.accessoryd) = (stack, core, accessoryd)
    }

    /// Before any press the daemons need little; there is no limit.
    func printIdleMemory(_ table: inout Table) throws {
        table.printSection("Memory before any press: channel joined, button connected (proc(5) smaps_rollup)")
        for daemon in [core, accessoryd] {
            let figures = try ProcessFigures(daemon.processID)
            table.printFigure(
                "\(daemon.name), resident",
                megabytes(figures.resident),
                in: .megabytes
            )
            table.printFigure(
                "\(daemon.name), proportional",
                megabytes(figures.proportional),
                in: .megabytes
            )
        }
    }

    /// Its libraries decode pictures, which is the most that it does.
    func printIndicatorMemory(_ table: inout Table) async throws {
        let indicator = try await ShownIndicator.start(on: stack)
        defer { indicator.end() }
        let before = try await settled(indicator.process)
        try await ShownIndicator.setPicture()
        let after = try await settled(indicator.process)
        table.printSection("Memory of the indicator: in a panel, and after a picture")
        for (situation, figures) in [("in a panel", before), ("after a picture", after)] {
            table.printFigure(
                "ptt-indicator \(situation), resident",
                megabytes(figures.resident),
                in: .megabytes
            )
            table.printFigure(
                "ptt-indicator \(situation), proportional",
                megabytes(figures.proportional),
                in: .megabytes,
                limit: .figure(10)
            )
        }
    }

    func printMemoryAfterPresses(_ table: inout Table) async throws {
        try await Presses(stack).press(times: Self.presses)
        await pause(.seconds(1))
        let others = [
            ("bluetoothd", try await measureBluetoothd()), ("wireplumber", try await measureWireplumber()),
        ]
        table.printSection("Memory after \(Self.presses) presses")
        for (daemon, resident, proportional) in [(core, 10, 6), (accessoryd, 8.5, 5.5)] {
            let own = try ProcessFigures(daemon.processID)
            let kinds: [(String, KeyPath<ProcessFigures, Int>, Table.Limit)] = [
                ("resident", \.resident, .figure(resident)),
                ("proportional", \.proportional, .figure(proportional)), ("not of files", \.anonymous, .none),
            ]
            for (kind, figure, limit) in kinds {
                for (index, other) in others.enumerated() {
                    table.printFigure(
                        "\(daemon.name), \(kind)",
                        megabytes(own[keyPath: figure]),
                        in: .megabytes,
                        beside: Table.Comparison(name: other.0, value: megabytes(other.1[keyPath: figure])),
                        limit: index == 0 ? limit : .none
                    )
                }
            }
        }
    }

    /// Growth after the first presses is a leak.
    func printGrowth(_ table: inout Table) async throws {
        let presses = try await Presses(stack)
        try await presses.press(times: Presses.first)
        let daemons = [core, accessoryd]
        let before = try daemons.map { try ProcessFigures($0.processID) }
        try await presses.press(times: Presses.many)
        await pause(.seconds(1))
        table.printSection("Memory after \(Presses.many) more presses than \(Presses.first)")
        for (daemon, before) in zip(daemons, before) {
            let after = try ProcessFigures(daemon.processID)
            table.printFigure(
                "\(daemon.name), resident",
                megabytes(after.resident),
                in: .megabytes,
                beside: Table.Comparison(name: "before", value: megabytes(before.resident)),
                limit: .ratio(1.02)
            )
            table.printFigure(
                "\(daemon.name), not of files",
                megabytes(after.anonymous),
                in: .megabytes,
                beside: Table.Comparison(name: "before", value: megabytes(before.anonymous))
            )
        }
    }

    private func megabytes(_ kilobytes: Int) -> Double { Double(kilobytes) / 1024 }

    // MARK: The others

    /// Without an adapter, because the kernel never answers it (no-bluetooth.c): the least that it needs.
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
    private func settled(_ child: ChildProcess) async throws -> ProcessFigures {
        var last: ProcessFigures?
        while true {
            await pause(.seconds(1))
            guard child.status == nil else { throw Unmeasurable("\(child.name) has ended") }
            let figures = try ProcessFigures(child.processID)
            if figures.voluntarySwitches == last?.voluntarySwitches { return figures }
            last = figures
        }
    }
}
