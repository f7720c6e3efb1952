import AccessoryCore
import EventLoop
import Foundation
import Logging
import PTTMessages
import TestSupport
import Testing

@testable import ptt_accessoryd

/// The devices of the machine and those of a user.
@Suite final class EnrolledDevicesTests: Sendable {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "ptt-\(UUID())")
    private let machine: URL
    private let user: URL
    private let button = DeviceIdentity(bluetoothAddress: "F0:00:00:00:00:01")
    private let other = DeviceIdentity(bluetoothAddress: "F0:00:00:00:00:02")

    init() throws {
        (machine, user) = (directory.appending(path: "machine"), directory.appending(path: "user"))
        withRunningLoop()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    // What stays behind in the temporary directory harms nothing.
    deinit { try? FileManager.default.removeItem(at: directory) }

    @EventLoop private func devices() -> EnrolledDevices {
        let devices = EnrolledDevices([machine.path, user.path], log: Logger(label: "test"))
        devices.start()
        return devices
    }

    private func entry(_ identity: DeviceIdentity, _ rest: String = "") -> String {
        "[[device]]\nidentity = '\(identity)'\n\(rest)\n"
    }

    @Test @EventLoop func `devices of the machine are enrolled beside those of the user`() throws {
        try entry(button).write(to: machine, atomically: true, encoding: .utf8)
        try entry(other).write(to: user, atomically: true, encoding: .utf8)
        let devices = devices()
        #expect(devices[button] != nil)
        #expect(devices[other] != nil)
    }

    @Test @EventLoop func `the user's entry replaces that of the machine`() throws {
        try entry(button, "mode = 'hold'").write(to: machine, atomically: true, encoding: .utf8)
        try entry(button, "mode = 'toggle'").write(to: user, atomically: true, encoding: .utf8)
        #expect(devices()[button]?.mode == .toggle)
    }

    @Test @EventLoop func `a file of the machine that cannot be used disables no device of the user`() throws
    {
        try "[".write(to: machine, atomically: true, encoding: .utf8)
        try entry(button).write(to: user, atomically: true, encoding: .utf8)
        let devices = devices()
        #expect(devices[button] != nil)
        #expect(devices.remark(notEnrolled: "x").contains("machine cannot be used"))
    }

    @Test @EventLoop func `a file of the user that cannot be used enrols nothing`() throws {
        try entry(button).write(to: machine, atomically: true, encoding: .utf8)
        try "[".write(to: user, atomically: true, encoding: .utf8)
        #expect(devices()[button] == nil)
    }

    @Test @EventLoop func `a device that is taken from the machine's file is not enrolled any more`()
        async throws
    {
        try entry(button).write(to: machine, atomically: true, encoding: .utf8)
        let devices = devices()
        let changes = AsyncQueue<Bool>()
        devices.onChange = { [button] in changes.add(devices[button] == nil) }
        try "".write(to: machine, atomically: true, encoding: .utf8)
        #expect(try await changes.next())
    }
}
