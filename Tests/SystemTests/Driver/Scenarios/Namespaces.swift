import EventLoop

/// Machines on which a user gets no namespace, as an administrator sets it, or a distribution.
extension Scenario {
    static let namespaces = ["user.max_user_namespaces", "kernel.unprivileged_userns_clone"].map { setting in
        Scenario(part: 21, "where \(setting) refuses namespaces, every unit starts, and a press is heard") {
            try await startsWithoutNamespaces($0, setting)
        }
    }

    private static let units = [
        "pttd.service", "ptt-accessoryd.service", "ptt-actions.service",
        "app-org.pushtotalk.Indicator.service",
    ]

    private static func startsWithoutNamespaces(_ fixture: GuestFixture, _ setting: String) async throws {
        let former = try await Machine.root("sysctl -n \(setting)")
        var failure: (any Error)?
        do {
            try await Machine.root("sysctl -q \(setting)=0")
            try await startAgain(fixture)
            try await protects(false)
            try await works(fixture)
        } catch {
            failure = error
        }
        try await Machine.root("sysctl -q \(setting)=\(former)")
        try await startAgain(fixture)
        if let failure { throw failure }
        // Nothing is lost where namespaces are free.
        try await protects(true)
        try await works(fixture)
    }

    /// The service manager reads the units again, and with them what the generator has written.
    private static func startAgain(_ fixture: GuestFixture) async throws {
        fixture.core.close()
        fixture.accessories.close()
        try await Machine.systemctl("daemon-reload")
        try await Machine.systemctl("reset-failed")
        // The third too, which only a button with an action would start.
        try await Machine.systemctl(
            "restart",
            "pttd.service",
            "ptt-accessoryd.service",
            "ptt-actions.service"
        )
        try await fixture.core.open()
        try await fixture.accessories.open()
    }

    private static func protects(_ isFree: Bool) async throws {
        for unit in units {
            let users = try await Machine.property("PrivateUsers", of: unit)
            guard users == (isFree ? "yes" : "no") else {
                throw Failure("PrivateUsers of \(unit) is \(users)")
            }
        }
    }

    private static func works(_ fixture: GuestFixture) async throws {
        try await fixture.paired(.ffe0)
        let application = try await fixture.application()
        // The core starts it with a channel.
        for unit in units {
            try await eventually("\(unit) runs") { try await Machine.isActive(unit) }
        }
        try await fixture.talk(.ffe0, to: application)
        application.close()
    }
}
