import EventLoop

extension Scenario {
    static let protection =
        ["pttd", "ptt-accessoryd", "ptt-keys", "ptt-keys@"].map { unit in
            Scenario(part: 8, "the sandbox of \(unit) does what its unit says") { _ in
                try await Command.output(
                    of: ["sudo", "-n", "sandbox-check", "\(unit).service"],
                    within: .seconds(120)
                )
            }
        } + [
            Scenario(part: 8, "no other user can use the sockets, not even root", otherUsersAreRefused),
            Scenario(
                part: 8,
                "nothing wakes up while a channel is joined and a button is connected",
                staysIdle
            ),
        ]

    private static let directory = "/run/user/1000/pushtotalk"

    private static func otherUsersAreRefused(_ fixture: GuestFixture) async throws {
        try await fixture.core.open()
        try await fixture.accessories.open()
        let access = try await Command.output(of: ["stat", "-c", "%U %a", directory])
        guard access == "dev 700\n" else { throw Failure("\(directory) has \(access)") }
        for socket in ["core", "accessory"] {
            let asNobody = try await connect(to: socket, as: "nobody")
            guard asNobody == "EACCES\n" else {
                throw Failure("the user nobody gets \(asNobody) from \(socket)")
            }
            // Root can enter every directory; the daemon checks the user.
            let asRoot = try await connect(to: socket, as: "root")
            guard asRoot == "closed\n" else { throw Failure("root gets \(asRoot) from \(socket)") }
        }
        try await fixture.core.open()
    }

    private static func connect(to socket: String, as user: String) async throws -> String {
        let program = """
            import errno, socket, sys
            try:
                peer = socket.socket(socket.AF_UNIX)
                peer.settimeout(30)
                peer.connect(sys.argv[1])
                peer.sendall(b'{"method":"org.varlink.service.GetInfo"}\\0')
                print(peer.recv(100) or "closed")
            except (ConnectionResetError, BrokenPipeError):
                print("closed")
            except OSError as error:
                print(errno.errorcode.get(error.errno, error))
            """
        return try await Command.output(of: [
            "sudo", "-n", "-u", user, "python3", "-c", program, "\(directory)/\(socket)",
        ])
    }

    private static func staysIdle(_ fixture: GuestFixture) async throws {
        try await fixture.paired(.ffe0)
        try await Command.output(of: ["pttctl", "join"])
        fixture.core.close()
        fixture.accessories.close()
        for unit in ["pttd", "ptt-accessoryd"] {
            let processID = try await Machine.processID(of: unit)
            // `WatchdogSec=10`: the loop answers after half to three quarters of it.
            let (window, pings) = (Duration.seconds(8), 2)
            var counted = 0
            try await eventually("\(unit) is idle", within: .seconds(30)) {
                let before = try voluntarySwitches(of: processID)
                _ = await Conditions.wait(window) { false }
                counted = try voluntarySwitches(of: processID) - before
                return counted <= pings
            }
        }
        try await fixture.accessories.open()
        let application = try await fixture.application()
        try await fixture.talk(.ffe0, to: application)
        application.close()
    }

    static func voluntarySwitches(of processID: Int) throws -> Int {
        var sum = 0
        for thread in try names(in: "/proc/\(processID)/task") {
            let status = try read("/proc/\(processID)/task/\(thread)/status")
            for line in String(decoding: status, as: UTF8.self).split(separator: "\n") {
                let columns = line.split(separator: "\t")
                if columns.first == "voluntary_ctxt_switches:", let count = columns.last.flatMap({ Int($0) })
                {
                    sum += count
                }
            }
        }
        return sum
    }
}
