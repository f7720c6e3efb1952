import AccessoryCore
import AccessoryFiles
import EventLoop
import Logging
import PTTMessages
import TestSupport
import Testing

@testable import Input
@testable import ptt_accessoryd

/// A switch at a serial port that cannot be read.
@Suite struct SerialPortTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `a port that has failed is not tried again before the machine has slept`()
        async throws
    {
        let scratch = try Scratch()
        let node = InputNode(
            sysname: "ttyACM0",
            devnode: scratch.directory + "/ttyACM0",
            name: "Pedal",
            properties: ["SUBSYSTEM": "tty"]
        )
        let identity = try #require(DeviceIdentity(node.stableIdentifier))
        let file = scratch.directory + "/devices.toml"
        try EnrolmentFile.edit(file) { text in
            try text.set(Enrolment(identity, key: SerialLine.clearToSend.key.rawValue))
        }
        let log = Logger(label: "") { _ in SwiftLogNoOpLogHandler() }
        let enrolled = EnrolledDevices([file], log: log)
        enrolled.start()
        let (list, states) = (AccessoryList(), AsyncQueue(of: AccessoryDevice.self))
        list.onUpdate = { if let device = $0.event?.device { states.add(device) } }
        let headsets = Headsets(
            Receivers(core: PressForwarder(log: log), list: list, log: log),
            enrolled,
            BlueZMirror(log: log, shouldWatch: { _ in false }, handler: { _ in }),
            AccessoryFolderWatch(AccessoryFolders([]))
        )
        headsets.handle(.present(node))
        _ = try await states.first { $0.link == .ready }
        _ = try await states.first { $0.remark?.hasSuffix("to try again, run `pttctl pair`") == true }
        headsets.reviewDevices()
        #expect(list.devices.map(\.link) == [.unused])
        headsets.resumed()
        #expect(list.devices.map(\.link) == [.ready])
        _ = try await states.first { $0.link == .ready }
        _ = try await states.first { $0.remark?.hasSuffix("to try again, run `pttctl pair`") == true }
        headsets.close()
    }
}
