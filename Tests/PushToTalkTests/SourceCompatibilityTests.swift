import AsyncClient
import Bystander
import CallbackClient
import MainActorClient
import PlainClient
import PushToTalk
import Testing

/// Clients in several idioms, which are here because they compile: rows 4.2 and 5/80 of the contract.
@Suite struct SourceCompatibilityTests {
    @Test func `delegates of each idiom are delegates`() async {
        let delegates: [any PTChannelManagerDelegate] = [Radio(), Walkie(), await Model()]
        #expect(delegates.count == 3)
        _ = Talker()
    }

    /// 5/83
    @Test func `nobody takes this for an Apple platform`() {
        #expect(!Platform.isApple)
    }
}
