import EventLoop
import Input
import PTTMessages

extension Scenario {
    static let actionKeys = [
        Scenario(
            part: 12,
            "a button holds a key that root has granted, and the kernel releases it whatever ends",
            holdsKey
        )
    ]

    private static let file = "/home/dev/.config/pushtotalk/actions.toml"
    private static let entry = """
        [[action]]
        accessory = "ffe0"
        button = "talk"
        key = "KEY_F13"
        """

    private static func holdsKey(_ fixture: GuestFixture) async throws {
        try await atTheScreen { own in
            try await fixture.paired(.ffe0)
            try await Machine.root("pttctl grant actions KEY_F13")
            let ending =
                "rm -f \(file); pttctl revoke actions; test ! -e /run/pushtotalk/keys && test ! -e /etc/pushtotalk/keys"
            try await restoring(by: ending) {
                try await isRefused("nobody", "KEY_F13", because: "in front of the screen")
                try await isRefused("dev", "KEY_A", because: "KEY_A is not granted")
                let text = entry.replacing("\n", with: "\\n")
                try await Command.output(of: [
                    "sh", "-c", "mkdir -p ${0%/*} && printf '\(text)\\n' > $0.new && mv $0.new $0", file,
                ])
                let keys = try KeyReader()
                for loss in Loss.allCases { try await isReleased(by: loss, keys, own, fixture) }
            }
            try await fixture.ready(.ffe0)
            let application = try await fixture.application()
            try await fixture.talk(.ffe0, to: application)
            application.close()
        }
    }

    private static func isRefused(_ user: String, _ key: String, because reason: String) async throws {
        let call = #"{"method": "org.pushtotalk.Key.Offer", "parameters": {"keys": ["KEY"]}}"#
            .replacing("KEY", with: key).replacing("\"", with: "\\\"")
        let script =
            "import socket; s = socket.socket(socket.AF_UNIX); s.settimeout(20); "
            + "s.connect('/run/pushtotalk/keys'); s.send(b'\(call)' + bytes(1)); print(s.recv(4096))"
        let answer = try await Machine.root("sudo -u \(user) python3 -c \"\(script)\"")
        guard answer.contains(reason) else { throw Failure("\(user) asks for \(key): \(answer)") }
    }

    private enum Loss: CaseIterable {
        case release, link, accessoryd, actions, keys, session
    }

    private static func isReleased(
        by loss: Loss,
        _ keys: KeyReader,
        _ own: Seat.Session,
        _ fixture: GuestFixture
    ) async throws {
        try await fixture.ready(.ffe0)
        // The first press after an end of the device makes a new one.
        try await eventually("\(loss): the key is pressed and released") {
            let seen = keys.releases
            try await ButtonSimulator.press(.ffe0)
            _ = await Conditions.wait(.milliseconds(300)) { keys.isDown }
            try await ButtonSimulator.release(.ffe0)
            return await Conditions.wait(.seconds(2)) { keys.releases > seen && !keys.isDown }
        }
        try await ButtonSimulator.press(.ffe0)
        try await until("\(loss): the key is down") { keys.isDown }
        switch loss {
        case .release: try await ButtonSimulator.release(.ffe0)
        case .link: try await ButtonSimulator.perform("disconnect", on: .ffe0)
        case .accessoryd: try await Machine.kill("ptt-accessoryd")
        case .actions: try await Machine.kill("ptt-actions")
        case .keys: try await Machine.root("systemctl kill -s KILL 'ptt-keys@*'")
        case .session: try await Seat.logIn("root", terminal: 4).activate()
        }
        try await until("\(loss): the key is released") { !keys.isDown }
        if loss != .release { try await ButtonSimulator.perform("release", on: .ffe0) }
        if loss == .session { try await own.activate() }
    }
}

/// What a program reads of the device that ptt-keys makes.
@EventLoop
private final class KeyReader {
    private(set) var isDown = false
    private(set) var releases = 0
    private let monitor: DeviceMonitor
    private var device: KeyDevice?

    init() throws {
        monitor = try DeviceMonitor(subsystem: "input", tag: nil)
        try monitor.start { [weak self] event in
            switch event {
            case .added(let node), .changed(let node): self?.open(node)
            case .removed: break
            }
        }
    }

    private func open(_ node: InputNode) {
        guard node.name == "Push-to-Talk Keys", node.isReadable, device == nil,
            let key = KeyCode(name: "KEY_F13")
        else { return }
        // Not there any more.
        device = try? KeyDevice(node, keys: [key]) { [weak self] in self?.handle($0) }
    }

    private func handle(_ event: KeyDeviceEvent) {
        switch event {
        case .key(let event) where event.edge == .pressed: isDown = true
        case .key: release()
        case .vanished:
            device = nil
            if isDown { release() }
        case .jackChanged, .eventsLost, .grabbed, .grabRefused, .failed: break
        }
        Conditions.evaluate()
    }

    private func release() {
        (isDown, releases) = (false, releases + 1)
    }
}
