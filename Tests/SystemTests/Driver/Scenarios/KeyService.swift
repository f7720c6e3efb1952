import EventLoop

extension Scenario {
    /// Root's service that holds keys: a process for each client.
    static let keyService = [
        Scenario(
            part: 8,
            "ptt-keys runs only while an action may hold a key, and as its unit confines it",
            runsWhileNeeded
        ),
        Scenario(part: 8, "ptt-keys ends with a client that says nothing", endsSilentClient),
        Scenario(
            part: 8,
            "a granted key works beside one that is not, from its grant on, after ptt-keys has ended, after a login",
            isThereBeforeItsPress
        ),
    ]

    private static let socket = "/run/pushtotalk/keys"

    private static func runsWhileNeeded(_ fixture: GuestFixture) async throws {
        try await atTheScreen { own in
            let other = try await Seat.logIn("root", terminal: 4)
            try await fixture.paired(.aina)
            try await granting {
                try await runs(0, during: "no action holds a key")
                try await ActionsFile.with([key]) {
                    try await runs(1, during: "an action holds a key")
                    try await isConfined()
                    try await other.activate()
                    try await runs(0, during: "another session is in front")
                    try await own.activate()
                    try await runs(1, during: "the session is in front again")
                    try await isConfined()
                }
                try await runs(0, during: "the action is gone")
                try await Machine.root("! journalctl --quiet --unit='ptt-keys@*' | grep status=6/ABRT")
            }
        }
    }

    private static func isThereBeforeItsPress(_ fixture: GuestFixture) async throws {
        let other = "[[action]]\naccessory = \"ffe0\"\nbutton = \"talk\"\nkey = \"KEY_F15\""
        try await atTheScreen { _ in
            for button in [Button.aina, .ffe0] { try await fixture.paired(button) }
            try await granting {
                try await ActionsFile.with([key, other]) {
                    try await runs(1, during: "one of two keys is granted")
                    let keys = try KeyReader()
                    try await isHeld(.aina, keys)
                    let list = try await Command.output(of: ["pttctl", "action", "list"])
                    guard list.contains("KEY_F15 is not granted"), !list.contains("KEY_F13 is not") else {
                        throw Failure("pttctl action list says: \(list)")
                    }
                    try await isRenewed { try await Machine.root("pttctl grant actions KEY_F15") }
                    let others = try KeyReader(key: "KEY_F15")
                    try await isHeld(.ffe0, others)
                    try await isRenewed { try await Machine.root("systemctl kill -s KILL 'ptt-keys@*'") }
                    try await isHeld(.ffe0, others)
                    try await isHeld(.aina, keys)
                    try await Seat.logOutAll()
                    try await runs(0, during: "nobody is logged in")
                    // In front at once: no other session was.
                    _ = try await Seat.logIn("dev", terminal: 3)
                    try await isHeld(.aina, keys)
                }
            }
        }
    }

    /// The device that a program knows by then has the key.
    private static func isHeld(_ button: Button, _ keys: KeyReader) async throws {
        try await until("the device is there before its press") { keys.isReady }
        try await ButtonSimulator.press(button)
        try await until("the key of \(button.name) is down") { keys.isDown }
        try await ButtonSimulator.release(button)
        try await until("the key of \(button.name) is released") { !keys.isDown }
    }

    /// Another process of ptt-keys has made another device.
    private static func isRenewed(by change: @EventLoop () async throws -> Void) async throws {
        let before = try await processes()
        try await change()
        try await eventually("there is another device") {
            let now = try await processes()
            return now.count == 1 && now != before && !now.contains("0")
        }
    }

    /// Runs `body` while a key is granted, without which there is no socket.
    private static func granting(_ body: @EventLoop () async throws -> Void) async throws {
        try await Machine.root("pttctl grant actions KEY_F13")
        try await restoring(by: "pttctl revoke actions; test ! -e \(socket)", body)
        try await runs(0, during: "no key is granted")
    }

    /// So many processes of it run.
    private static func runs(_ count: Int, during step: String) async throws {
        try await eventually("\(step): \(count) processes of ptt-keys run") {
            try await processes().count == count
        }
    }

    /// Their numbers.
    private static func processes() async throws -> [String] {
        let units = "systemctl list-units --plain --no-legend 'ptt-keys@*' | cut -d ' ' -f 1"
        let list = "for unit in $(\(units)); do systemctl show -P MainPID $unit; done"
        return try await Machine.root(list).split(separator: "\n").map { String($0) }
    }

    /// `sandbox-check` tries what its unit forbids in a copy of it. The kernel says this of the process.
    private static func isConfined() async throws {
        guard let process = try await processes().first else { throw Failure("ptt-keys does not run") }
        let names = "CapInh|CapPrm|CapEff|CapBnd|CapAmb|NoNewPrivs|Seccomp"
        let lines = try await Machine.root("grep -E '^(\(names)):' /proc/\(process)/status")
        let none = String(repeating: "0", count: 16)
        let expected = ["Inh", "Prm", "Eff", "Bnd", "Amb"].map { "Cap\($0):\t\(none)" }
        let found = lines.split(separator: "\n").map { String($0) }
        for line in expected + ["NoNewPrivs:\t1", "Seccomp:\t2"] where !found.contains(line) {
            throw Failure("ptt-keys runs without \(line): \(found)")
        }
        let devices = try await Machine.root("readlink /proc/\(process)/fd/* | grep ^/dev/ | sort -u")
        guard devices == "/dev/null\n/dev/uinput\n" else { throw Failure("ptt-keys has open: \(devices)") }
        for kind in ["net", "mnt"] {
            try await Machine.root(
                "test $(readlink /proc/\(process)/ns/\(kind)) != $(readlink /proc/1/ns/\(kind))"
            )
        }
    }

    private static func endsSilentClient(_ fixture: GuestFixture) async throws {
        try await granting {
            let script =
                "import socket; s = socket.socket(socket.AF_UNIX); s.settimeout(60); "
                + "s.connect('\(socket)'); print('connected', flush=True); print('received', s.recv(1))"
            let client = try Command(["sudo", "-n", "-u", "nobody", "python3", "-c", script])
            try await until("the client has connected") { client.output.contains("connected") }
            try await runs(1, during: "the client says nothing")
            guard try await client.end() == 0, client.output.hasSuffix("received b''\n") else {
                throw Failure("the client has \(client.output)")
            }
            try await runs(0, during: "the client is disconnected")
        }
    }
}
