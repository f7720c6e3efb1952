import EventLoop
import Glibc
import ServiceClient

/// The attacking process: carries out one attack, reports that it has, and keeps its connections until it is
/// killed.
enum Attacker {
    /// The duration of an attack that is a loop.
    private static let duration = Duration.seconds(2)

    static func run(_ attack: Attack) -> Never {
        perform(attack)
        write("done")
        while true { pause() }
    }

    private static func perform(_ attack: Attack) {
        switch attack {
        case .marksInKey, .marksInMethod, .marksInInterface, .marksInCallToken, .marksInApplication,
            .marksInChannelName, .marksInPushTopic, .marksInAudioToken:
            sendMarks(attack)
        case .zeros: repeatedly(Message.large(#"{"a":[0"#, "]}") { _ in ",0" })
        case .nesting:
            let (opening, closing) = (String(repeating: "[", count: 28), String(repeating: "]", count: 28))
            repeatedly(Message.large(#"{"a":[0"#, "]}") { _ in ",\(opening)\(closing)" })
        case .openBrackets: repeatedly(Message.large(#"{"a":"#, "}") { _ in "[" })
        case .keys: repeatedly(Message.large(#"{"a":0"#, "}") { #","\#($0)":0"# })
        case .similarKeys:
            let padding = String(repeating: "x", count: 40)
            repeatedly(Message.large(#"{"a":0"#, "}") { #","\#(padding)\#($0)\#(padding)":0"# })
        case .sameKey: repeatedly(Message.large(#"{"a":0"#, "}") { _ in #","a":0"# })
        case .callsBehindSubscription: fillBehindSubscription(small: true)
        case .largeCallsBehindSubscription: fillBehindSubscription(small: false)
        case .connectionsAtTheLimit: for _ in 0..<70 { fillBehindSubscription(small: false, timeLimit: 0.02) }
        case .pipelinedCalls: pipeline()
        case .halfMessages: sendHalves()
        case .deafSubscribers: stayDeaf(method: "org.pushtotalk.Channel.Subscribe") { _ in "{}" }
        case .deafAttachments:
            stayDeaf(method: "org.pushtotalk.Application.Attach") {
                #"{"identifier":"org.example.deaf\#($0 % 3)","name":"Deaf","isForeground":true}"#
            }
        case .endOfReading: stopReading()
        case .numberedCalls: numberCalls()
        case .deafReadersOfPictures: readPicturesDeaf()
        case .refusedCalls: refuse()
        case .pressesWithoutMicrophone: pressAgainAndAgain()
        case .startsThatFail, .stoppedBus: pressForAnAbsentApplication()
        case .malformedMessages, .stoppedJournal: loop { HostilePeer()?.sendAndAwaitEnd("no message") }
        case .connectionStorm: loop { _ = HostilePeer() }
        case .pictures: showPictures(Message.picture)
        case .brokenPictures: showPictures([UInt8](repeating: 65, count: 349_500) + Array("!!!=A".utf8))
        case .oversizedPictures: showPictures([UInt8](repeating: 65, count: 800_000))
        case .pushes: push()
        case .eightSilentStrangers: for _ in 0..<8 { HostilePeer(to: .audio)?.stay() }
        case .sixtySilentStrangers: for _ in 0..<60 { HostilePeer(to: .audio)?.stay() }
        case .audioConnectionStorm: loop { _ = HostilePeer(to: .audio) }
        case .oversizedPackets:
            loop { HostilePeer(to: .audio)?.send([UInt8](repeating: 0, count: 150_000)) }
        case .oversizedPacketsOfTheApplication: sendOversizedAudio()
        case .endOfReadingAudio: stopReadingAudio()
        }
    }

    static func loop(_ body: () -> Void) {
        let end = MonotonicInstant.now + duration
        while MonotonicInstant.now < end { body() }
    }

    // MARK: One message

    /// Each on a connection of its own, because the core may end it.
    private static func repeatedly(_ message: [UInt8]) {
        let end = MonotonicInstant.now + duration
        for _ in 0..<20 where MonotonicInstant.now < end {
            guard let peer = HostilePeer() else { continue }
            if peer.send(message) { peer.answer() }
        }
    }

    private static func sendMarks(_ attack: Attack) {
        let marks = Message.marks
        let named = Message.quoted(marks)
        let status = Array("org.pushtotalk.Channel.GetStatus".utf8)
        switch attack {
        case .marksInMethod:
            repeatedly(Message.call(Array("org.pushtotalk.Channel.".utf8) + marks, Array("{}".utf8)))
        case .marksInInterface:
            repeatedly(Message.call(Array("org.".utf8) + marks + Array(".GetStatus".utf8), Array("{}".utf8)))
        case .marksInCallToken:
            attach("org.example.marks")
            let parameters = Array(#"{"callToken":"#.utf8) + named + Array("}".utf8)
            repeatedly(Message.call(Array("org.pushtotalk.Application.UseAttachment".utf8), parameters))
        case .marksInApplication:
            let parameters = Array(#"{"name":"Marks","application":"#.utf8) + named + Array("}".utf8)
            repeatedly(Message.call(Array("org.pushtotalk.Channel.Join".utf8), parameters))
        case .marksInChannelName:
            let parameters = Array(#"{"name":"#.utf8) + named + Array("}".utf8)
            repeatedly(Message.call(Array("org.pushtotalk.Channel.Join".utf8), parameters))
        case .marksInPushTopic:
            let token = pushToken() ?? ""
            let parameters =
                Array(#"{"token":"\#(token)","type":"pushtotalk","priority":10,"expiration":0,"#.utf8)
                + Array(#""payload":"{}","topic":"#.utf8) + named + Array("}".utf8)
            repeatedly(Message.call(Array("org.pushtotalk.Push.Send".utf8), parameters))
        case .marksInAudioToken:
            attach("org.example.marks")
            loop { HostilePeer(to: .audio)?.send(Array(marks.suffix(129_000).prefix(8000))) }
        case _:
            let member = named + Array(":0".utf8)
            repeatedly(Message.call(status, Array("{".utf8) + member + [UInt8(ascii: "}")]))
            repeatedly(Array(#"{"method":"a.B","#.utf8) + member + Array("}\0".utf8))
        }
    }

    /// Attaches until this process ends.
    ///
    /// - Returns: The first answer.
    @discardableResult
    static func attach(_ identifier: String, _ more: String = "") -> String? {
        guard let peer = HostilePeer() else { return nil }
        let parameters = #"{"identifier":"\#(identifier)","name":"Hostile","isForeground":true\#(more)}"#
        peer.send(Message.call("org.pushtotalk.Application.Attach", parameters, more: true))
        let answer = peer.answer()
        peer.stay()
        return answer
    }
}

extension HostilePeer {
    fileprivate func sendAndAwaitEnd(_ text: String) {
        send(Array(text.utf8) + [0])
        answer()
    }
}

// MARK: Unread answers and unfinished calls

extension Attacker {
    private static func fillBehindSubscription(small: Bool, timeLimit: Double = 1) {
        guard let peer = HostilePeer() else { return }
        peer.wait(atMost: timeLimit)
        peer.send(Message.call("org.pushtotalk.Channel.Subscribe", "{}", more: true))
        let call =
            small
            ? Message.call("org.pushtotalk.Channel.GetStatus", "{}")
            : Message.large(#"{"a":[0"#, "]}") { _ in ",0" }
        for _ in 0..<100_000 where !peer.send(call) { break }
        peer.stay()
    }

    private static func pipeline() {
        guard let peer = HostilePeer() else { return }
        flood(peer, (0..<2000).flatMap { _ in Message.call("org.pushtotalk.Channel.GetStatus", "{}") })
        peer.stay()
    }

    /// Sends repeatedly, and reads the answers, so that the core is not blocked.
    static func flood(_ peer: borrowing HostilePeer, _ calls: [UInt8]) {
        var unsent = calls[...]
        loop {
            if unsent.isEmpty { unsent = calls[...] }
            unsent = unsent.dropFirst(peer.exchange(unsent))
        }
    }

    private static func sendHalves() {
        let message = Message.large(#"{"a":""#, #""}"#) { _ in "aaaaaaaaaaaaaaaa" }
        for _ in 0..<60 {
            guard let peer = HostilePeer() else { continue }
            peer.wait(atMost: 0.1)
            peer.send(Array(message.dropLast(100)))
            peer.stay()
        }
    }

    private static func stayDeaf(method: String, _ parameters: (Int) -> String) {
        for number in 0..<30 {
            guard let peer = HostilePeer() else { continue }
            peer.send(Message.call(method, parameters(number), more: true))
            peer.stay()
        }
        changeNames(count: 10_000)
    }

    private static func stopReading() {
        for _ in 0..<10 {
            guard let peer = HostilePeer() else { continue }
            peer.send(Message.call("org.pushtotalk.Channel.Subscribe", "{}", more: true))
            peer.answer()
            peer.stopReading()
            peer.stay()
        }
        changeNames(count: 20)
    }

    /// Causes large events.
    private static func changeNames(count: Int) {
        guard let peer = HostilePeer() else { return }
        peer.call("org.pushtotalk.Channel.Join", #"{"name":"Noise"}"#)
        let end = MonotonicInstant.now + duration
        for number in 0..<count where MonotonicInstant.now < end {
            let name = "\(number)" + String(repeating: "n", count: 240)
            peer.call("org.pushtotalk.Channel.SetDescriptor", #"{"name":"\#(name)"}"#)
        }
        peer.stay()
    }
}
