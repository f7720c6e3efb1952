import IndicatorCore
import PTTMessages
import Testing

struct IndicatorTests {
    private static let channelID = ChannelID("8A1C9D6E-0000-4000-8000-000000000001")

    private func joined(_ indicator: inout Indicator, at time: MonotonicTime) throws -> ChannelID {
        let channelID = try #require(Self.channelID)
        let status = Status(
            channel: Channel(channelID: channelID, name: "Radio"),
            isAudioServerReady: true,
            timeLimit: 60
        )
        _ = indicator.handle(.core(.status(status)), at: time)
        return channelID
    }

    @Test func `a click on the tray item begins a transmission of the panel`() throws {
        var indicator = Indicator()
        let now = MonotonicTime(nanoseconds: 0)
        let channelID = try joined(&indicator, at: now)
        #expect(indicator.handle(.panelActivated, at: now) == [.begin(.panel, channelID)])
    }
}
