import EventLoop
import Input
import TestSupport
import Testing

/// With the sysfs of this machine. Tests that need udevd are in `PluggedHeadsetTests`.
@Suite struct DeviceMonitorTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `every node of a subsystem is reported once`() throws {
        var reported: [String] = []
        let monitor = try DeviceMonitor(subsystem: "mem", tag: nil) { event in
            guard case .present(let node) = event else { return }
            reported.append(node.devnode)
        }
        #expect(reported.contains("/dev/null"))
        #expect(Set(reported).count == reported.count)
        #expect(monitor.nodes.count == reported.count)
    }

    @Test @EventLoop func `a tag that no rule sets finds nothing and is not an error`() throws {
        let monitor = try DeviceMonitor(subsystem: "mem", tag: "no-rule-gives-this-tag") {
            Issue.record("reported \($0)")
        }
        #expect(monitor.nodes.isEmpty)
    }

    @Test @EventLoop func `each monitor reports the nodes that exist`() throws {
        var count = 0
        let first = try DeviceMonitor(subsystem: "mem", tag: nil) { _ in count += 1 }
        let second = try DeviceMonitor(subsystem: "mem", tag: nil) { _ in count += 1 }
        #expect(second.nodes == first.nodes)
        #expect(count == 2 * first.nodes.count)
    }
}
