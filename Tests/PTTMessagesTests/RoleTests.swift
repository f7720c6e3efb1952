import PTTMessages
import Testing

extension MessageTests {
    @Test func `a role is written unless it is talk, and talk is read where there is none`() throws {
        func begin(_ role: ButtonRole) -> ChannelInterface.BeginRequest {
            ChannelInterface.BeginRequest(
                channelID: nil,
                source: .userRequest,
                origin: Self.origin,
                role: role
            )
        }
        let origin = #"{"identifier":"A4:C1:38:00:00:01","kind":"bluetoothButton","name":"PTT-Z01"}"#
        #expect(try json(begin(.talk)) == #"{"origin":\#(origin),"source":"userRequest"}"#)
        #expect(
            try json(begin(.emergency)) == #"{"origin":\#(origin),"role":"emergency","source":"userRequest"}"#
        )
        for text in ["", #","role":null"#, #","role":"talk""#] {
            let request = #"{"origin":\#(origin),"source":"userRequest"\#(text)}"#
            #expect(try decoded(request, as: ChannelInterface.BeginRequest.self) == begin(.talk))
        }
        #expect(try json(Self.emergency).contains(#""role":"emergency""#))
        #expect(try !json(Self.transmission).contains("role"))
    }
}
