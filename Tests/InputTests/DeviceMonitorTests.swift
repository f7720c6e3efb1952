import EventLoop
import Input
import TestSupport
import Testing

/// With the sysfs of this machine. Tests that need udevd are in `PluggedHeadsetTests`.
@Suite struct DeviceMonitorTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `every node of a subsystem is reported once`() throws {
        let monitor = try DeviceMonitor(subsystem: "mem", tag: nil)
        var reported: [String] = []
        try monitor.start { event in
            guard case .added(let node) = event else { return }
            reported.append(node.devnode)
        }
        #expect(reported.contains("/dev/null"))
        #expect(Set(reported).count == reported.count)
        #expect(monitor.nodes.count == reported.count)
    }

    @Test @EventLoop func `a tag that no rule sets finds nothing and is not an error`() throws {
        let monitor = try DeviceMonitor(subsystem: "mem", tag: "no-rule-gives-this-tag")
        try monitor.start { Issue.record("reported \($0)") }
        #expect(monitor.nodes.isEmpty)
    }

    @Test @EventLoop func `stopping and starting again reports the nodes again`() throws {
        let monitor = try DeviceMonitor(subsystem: "mem", tag: nil)
        var count = 0
        try monitor.start { _ in count += 1 }
        let first = count
        monitor.stop()
        #expect(monitor.nodes.isEmpty)
        try monitor.start { _ in count += 1 }
        #expect(count == 2 * first)
    }
}
