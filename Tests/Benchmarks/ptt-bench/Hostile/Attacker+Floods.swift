import Glibc
import ServiceClient

// MARK: Log lines and state

extension Attacker {
    static func refuse() {
        guard let peer = HostilePeer() else { return }
        peer.call("org.pushtotalk.Channel.Leave")
        loop {
            peer.call(
                "org.pushtotalk.Channel.BeginTransmitting",
                #"{"source":"userRequest","origin":\#(origin)}"#
            )
            peer.call("org.pushtotalk.Channel.SetDescriptor", #"{"name":3}"#)
            peer.call("org.pushtotalk.Channel.Nothing")
        }
        peer.stay()
    }

    static let origin = #"{"kind":"application","identifier":"hostile","name":"Hostile"}"#

    /// - Returns: True if the core has answered the begin.
    @discardableResult
    static func press(_ peer: borrowing HostilePeer) -> Bool {
        let begin = #"{"source":"userRequest","origin":\#(origin)}"#
        let isAnswered = peer.call("org.pushtotalk.Channel.BeginTransmitting", begin) != nil
        peer.call("org.pushtotalk.Channel.EndTransmitting", #"{"origin":\#(origin)}"#)
        return isAnswered
    }

    static func pressAgainAndAgain() {
        guard let peer = HostilePeer() else { return }
        peer.call("org.pushtotalk.Channel.Join", #"{"name":"Noise"}"#)
        loop { press(peer) }
        peer.stay()
    }

    /// Joins as an application that can be started, goes, and presses.
    static func pressForAnAbsentApplication() {
        joinAndGo()
        // Until then the core expects it to reconnect, and does not start it.
        usleep(2_500_000)
        guard let peer = HostilePeer() else { return }
        loop { press(peer) }
        // So that nothing is left to be started later.
        peer.call("org.pushtotalk.Channel.Leave")
        peer.stay()
    }

    private static func joinAndGo() {
        guard let application = HostilePeer(), let calls = HostilePeer() else { return }
        let activation = #"{"kind":"busName","name":"org.example.Nobody"}"#
        let parameters = #"{"identifier":"org.example.absent","name":"Absent","activation":\#(activation)}"#
        application.send(Message.call("org.pushtotalk.Application.Attach", parameters, more: true))
        guard let token = Message.member("callToken", of: application.answer()) else { return }
        calls.call("org.pushtotalk.Application.UseAttachment", #"{"callToken":"\#(token)"}"#)
        calls.call("org.pushtotalk.Channel.Join", #"{"name":"Noise"}"#)
    }

    /// Calls that are answered immediately and finish later.
    static func numberCalls() {
        guard let token = Message.member("callToken", of: attach("org.example.numbers")),
            let peer = HostilePeer()
        else { return }
        peer.call("org.pushtotalk.Application.UseAttachment", #"{"callToken":"\#(token)"}"#)
        peer.call("org.pushtotalk.Channel.Join", #"{"name":"Numbers"}"#)
        flood(
            peer,
            (0..<100).flatMap {
                Message.call("org.pushtotalk.Channel.SetDescriptor", #"{"name":"\#($0)","callID":\#($0)}"#)
            }
        )
        peer.stay()
    }

    static func showPictures(_ base64: [UInt8]) {
        guard let peer = HostilePeer() else { return }
        let picture = Array(#"{"name":"Picture","image":"#.utf8) + Message.quoted(base64) + Array("}".utf8)
        peer.send(Message.call(Array("org.pushtotalk.Channel.Join".utf8), picture))
        peer.answer()
        var number: UInt8 = 0
        loop {
            number = (number + 1) % 26
            var picture = picture
            // Each another picture.
            picture[picture.count - 100] = UInt8(ascii: "A") + number
            peer.send(Message.call(Array("org.pushtotalk.Channel.SetDescriptor".utf8), picture))
            peer.answer()
        }
        peer.stay()
    }

    /// Answers that are longer than the kernel keeps, for peers that do not read.
    static func readPicturesDeaf() {
        guard let owner = HostilePeer() else { return }
        let picture =
            Array(#"{"name":"Picture","image":"#.utf8) + Message.quoted(Message.picture) + Array("}".utf8)
        owner.send(Message.call(Array("org.pushtotalk.Channel.Join".utf8), picture))
        owner.answer()
        let status = owner.call("org.pushtotalk.Channel.GetStatus")
        let image = Message.member("imageID", of: status) ?? ""
        owner.stay()
        for _ in 0..<60 {
            guard let peer = HostilePeer() else { continue }
            peer.send(Message.call("org.pushtotalk.Channel.GetImage", #"{"imageID":"\#(image)"}"#))
            peer.stay()
        }
    }

    /// Of a channel whose application has gone.
    static func pushToken() -> String? {
        let joined = HostilePeer()?.call(
            "org.pushtotalk.Channel.Join",
            #"{"name":"Pushed","application":"org.example.pushed"}"#
        )
        return Message.member("pushToken", of: joined ?? nil)
    }

    static func push() {
        guard let token = pushToken(), let peer = HostilePeer() else { return }
        let numbers = #""priority":10,"expiration":0"#
        let start =
            #"{"token":"\#(token)","topic":"org.example.pushed.voip-ptt","type":"pushtotalk",\#(numbers),"#
        let payloads = [5000, 1_000_000].map { size in
            #""payload":"{\"a\":\"\#(String(repeating: "p", count: size))\"}"}"#
        }
        loop {
            for payload in payloads { peer.call("org.pushtotalk.Push.Send", start + payload) }
        }
        peer.stay()
    }

    static func sendOversizedAudio() {
        loop {
            guard let application = HostilePeer(), let audio = HostilePeer(to: .audio) else { return }
            let joined = application.call(
                "org.pushtotalk.Channel.Join",
                #"{"name":"Loud","application":"org.example.loud"}"#
            )
            audio.send(Array((Message.member("token", of: joined) ?? "").utf8))
            for _ in 0..<50 where !audio.send([UInt8](repeating: 0, count: 150_000)) { break }
            application.call("org.pushtotalk.Channel.Leave")
        }
    }

    /// The application of a transmission stops reading frames, which the core notices when it sends the next.
    static func stopReadingAudio() {
        guard let application = HostilePeer() else { return }
        let joined = application.call(
            "org.pushtotalk.Channel.Join",
            #"{"name":"Deaf","application":"org.example.deaf"}"#
        )
        let token = Array((Message.member("token", of: joined) ?? "").utf8)
        loop {
            guard let audio = HostilePeer(to: .audio) else { return }
            audio.send(token)
            application.call(
                "org.pushtotalk.Channel.BeginTransmitting",
                #"{"source":"userRequest","origin":\#(origin)}"#
            )
            usleep(200_000)
            audio.stopReading()
            usleep(100_000)
            application.call("org.pushtotalk.Channel.EndTransmitting", #"{"origin":\#(origin)}"#)
        }
        application.stay()
    }
}
