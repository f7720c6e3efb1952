import IndicatorCore
import Testing

@Suite struct PanelHostsTests {
    private static let host = "org.kde.StatusNotifierHost-812"

    @Test func `a host without a name is the watcher's matter`() {
        var hosts = PanelHosts()
        #expect(!hosts.isThere)
        hosts.isReported = true
        #expect(hosts.isThere)
        hosts.isReported = false
        #expect(!hosts.isThere)
    }

    @Test(arguments: [host, PanelHosts.plasma])
    func `a host that loses its name is gone, whatever the watcher says`(name: String) {
        var hosts = PanelHosts()
        hosts.isReported = true
        hosts.hostChanged(name, isThere: true)
        #expect(hosts.isThere)
        hosts.hostChanged(name, isThere: false)
        #expect(!hosts.isThere)
        hosts.hostChanged("org.kde.StatusNotifierHost-900", isThere: true)
        #expect(hosts.isThere)
    }

    @Test func `of two hosts one is enough`() {
        var hosts = PanelHosts()
        hosts.isReported = true
        hosts.hostChanged(Self.host, isThere: true)
        hosts.hostChanged("org.kde.StatusNotifierHost-900-1", isThere: true)
        hosts.hostChanged(Self.host, isThere: false)
        #expect(hosts.isThere)
    }

    @Test func `hosts are known by their names, and few are watched`() {
        var hosts = PanelHosts()
        let names = [":1.4", "org.kde.StatusNotifierWatcher", Self.host, "org.kde.StatusNotifierItem-5-1"]
        #expect(hosts.unknown(among: names) == [Self.host])
        hosts.hostChanged(Self.host, isThere: true)
        #expect(hosts.unknown(among: names) == [])
        let many = (0..<1000).map { "org.kde.StatusNotifierHost-\($0)" }
        #expect(hosts.unknown(among: many).count == 15)
    }
}
