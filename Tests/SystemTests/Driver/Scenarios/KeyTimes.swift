import EventLoop
import Input

extension Scenario {
    /// Measured with `TIMES=100`, and by no other run.
    static var keyTimes: [Scenario] {
        guard let times = Environment.variable("TIMES").flatMap({ Int($0) }), times > 0 else { return [] }
        return [
            Scenario(part: 12, "the key of an action is measured beside that of a C client") {
                try await measure(times, $0)
            }
        ]
    }

    private static let client =
        "/share/in/ptt-bench baseline-key unix:path=/run/dbus/system_bus_socket"
    private static let action = "[[action]]\naccessory = \"ffe0\"\nbutton = \"talk\"\nkey = \"KEY_F13\""

    /// Both receive the same notification, so that each press has one time for both.
    private static func measure(_ times: Int, _ fixture: GuestFixture) async throws {
        try await atTheScreen { _ in
            try await fixture.paired(.ffe0)
            try await Machine.root(
                "pttctl grant actions KEY_F13 && systemd-run --quiet --unit=key-client \(client) "
                    + Machine.path(of: .ffe0)
            )
            try await restoring(by: "pttctl revoke actions; systemctl stop key-client") {
                try await ActionsFile.with([action]) {
                    let ours = try KeyReader()
                    let theirs = try KeyReader(of: "C Client Keys", key: "KEY_F14")
                    try await press(times, fixture, ours, theirs)
                }
            }
        }
    }

    private static func press(
        _ times: Int,
        _ fixture: GuestFixture,
        _ ours: KeyReader,
        _ theirs: KeyReader
    ) async throws {
        var samples: [(ours: Duration, theirs: Duration)] = []
        // The first press makes the device, and programs have to find it.
        for number in 0..<times + 5 {
            try await fixture.ready(.ffe0)
            let start = MonotonicInstant.now
            try await ButtonSimulator.press(.ffe0)
            if number < 5 {
                _ = await Conditions.wait(.seconds(5)) { ours.isDown && theirs.isDown }
            } else {
                try await until("both keys are down") { ours.isDown && theirs.isDown }
                samples.append((ours.pressed - start, theirs.pressed - start))
            }
            try await ButtonSimulator.release(.ffe0)
            try await until("both keys are up") { !ours.isDown && !theirs.isDown }
        }
        show("from the simulated press to the key of the C client", samples.map(\.theirs))
        show("from there to ours", samples.map { $0.ours - $0.theirs })
    }

    private static func show(_ name: String, _ times: [Duration]) {
        let sorted = times.sorted().map { Int($0 / .milliseconds(1)) }
        print("\(name): median \(sorted[sorted.count / 2]) ms, p90 \(sorted[sorted.count * 9 / 10]) ms")
    }
}
