import ChildProcess
import DBus
import EventLoop
import Glibc
import PTTMessages
import ServiceClient

/// The release of one of many look-alike buttons on one bus, and a release while a discovery runs.
@EventLoop
enum Crowd {
    private static let buttons = 200
    private static let neighbours = 300
    /// Signals of the devices nearby per second: each of them twice. bluetoothd reports a change of 8 dB or
    /// more (RSSI_THRESHOLD).
    private static let rate = 600
    private static let samples = 300
    /// Between two measurements; signals of devices nearby arrive meanwhile.
    private static let rest = Duration.milliseconds(2)
    /// In kB.
    private static let memoryOfButton = 24.0
    private static let warmUp = 30

    static func measure(_ stack: StackFixture, _ table: inout Table) async throws {
        let one = try await ButtonStack.start("one", buttons: 0, on: stack)
        let many = try await ButtonStack.start("many", buttons: buttons, on: stack)
        let memory = try [one, many].map { Double(try ProcessFigures($0.accessoryd.processID).anonymous) }
        table.printSection("Notification of the release to \"transmission ended\" at a subscriber")
        let (alone, inCrowd) = try await measure(one, beside: many) {
            PrivateBlueZ.crowdButton($0 % buttons)
        }
        table.printTimes(
            "one of \(buttons) buttons",
            inCrowd,
            in: .microseconds,
            named: "the only one",
            beside: alone,
            limit: .ratio(1.2)
        )
        many.end()
        let scanning = try await ButtonStack.start("scanning", buttons: 0, neighbours: neighbours, on: stack)
        let scan = try await Scan(scanning)
        let (quiet, during) = try await measure(one, beside: scanning) { _ in PrivateBlueZ.button }
        scan.end()
        table.printTimes(
            "during a scan, \(neighbours) devices",
            during,
            in: .microseconds,
            named: "without",
            beside: quiet,
            limit: .ratio(1.2)
        )
        table.printNote("the devices nearby have sent \(scan.sent) signals")
        table.printFigure(
            "ptt-accessoryd, kB not of files for each button",
            (memory[1] - memory[0]) / Double(buttons),
            in: .times,
            limit: .figure(memoryOfButton)
        )
        for stack in [one, scanning] { stack.end() }
    }

    /// In turn, so that other load of the machine hits both alike.
    private static func measure(
        _ first: ButtonStack,
        beside second: ButtonStack,
        button: (Int) -> ObjectPath
    ) async throws -> (Samples, Samples) {
        var samples = (Samples(), Samples())
        for number in 0..<warmUp + Self.samples {
            let time = try await first.release(PrivateBlueZ.button)
            await pause(rest)
            let other = try await second.release(button(number))
            await pause(rest)
            guard number >= warmUp else { continue }
            samples.0.add(time)
            samples.1.add(other)
        }
        return samples
    }

    /// A client that scans, and devices nearby whose signal strength changes.
    @EventLoop
    private final class Scan {
        private(set) var sent = 0
        private let blueZ: PrivateBlueZ
        private let connection: ServiceConnection
        private var timer: TimerSource?

        init(_ stack: ButtonStack) async throws {
            blueZ = stack.blueZ
            connection = try await stack.withSockets { try ServiceConnection.accessory() }
            connection.subscribe(
                AccessoryInterface.scan,
                AccessoryInterface.ScanRequest(seconds: 60),
                timeLimit: .seconds(90),
                { _ in },
                ended: { _ in }
            )
            while blueZ.discoveries == 0 { await pause(.milliseconds(10)) }
            step()
        }

        func end() {
            timer = nil
            connection.close()
        }

        private func step() {
            blueZ.changeSignalStrength(of: sent % neighbours, to: sent.isMultiple(of: 2) ? -60 : -50)
            sent += 1
            let timer = TimerSource { [weak self] in self?.step() }
            timer.arm(after: .seconds(1) / rate)
            self.timer = timer
        }
    }
}
