import EventLoop
import JSON
import PTTMessages
import TestSupport
import Testing
import Varlink

/// Applications on the core's socket: their identity, their events and the order of these.
@Suite(.serialized) struct ApplicationTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `an application that dies and returns gets its channel back`() async throws {
        let core = try await CoreFixture.start()
        let first = try await AttachedApplication.attach(to: core)
        #expect(first.attachment.restored == nil)
        let joined = try await first.join(.hikers)
        #expect(joined.pushToken == first.attachment.pushToken)
        let watcher = try core.connect()
        _ = try await watcher.subscribe()
        first.die()
        #expect(try await watcher.events.next() == .applicationDetached)
        #expect(try await core.connect().status().channel?.owner?.rawValue == "org.example.App")
        let second = try await AttachedApplication.attach(to: core)
        #expect(second.attachment.restored == .init(channelID: .hikers, needsDescriptor: false))
        #expect(second.attachment.pushToken == first.attachment.pushToken)
        #expect(try await second.events.next().joinReason == .channelRestoration)
        #expect(try await second.calls.status().channel?.application?.name == "App")
    }

    @Test @EventLoop func `an application that joins during a transmission is notified of it`()
        async throws
    {
        let sound = try await PrivateAudioServer.start(.pulseAudio)
        let core = try await CoreFixture.start(sound: sound)
        let watcher = try core.connect()
        try await watcher.audioServerIsReady(try await watcher.subscribe())
        let person = try core.connect()
        _ = try await person.join(channelID: .hikers)
        let transmissionID = try await person.begin()
        _ = try await watcher.events.first { $0 == .audioActivated }
        let application = try await AttachedApplication.attach(to: core)
        _ = try await application.join(.hikers)
        let events = try await application.next(3)
        #expect(events[0].joinReason == .developerRequest)
        guard case .transmissionBegan(let transmission) = events[1] else {
            return #expect(Bool(false), "\(events)")
        }
        #expect(transmission.transmissionID == transmissionID)
        #expect(events[2] == .audioActivated)
    }

    @Test @EventLoop func `the result of a request is notified before its events`() async throws {
        let core = try await CoreFixture.start()
        let application = try await AttachedApplication.attach(to: core)
        _ = try await application.join(.hikers)
        #expect(try await application.events.next() == .requestAnswered(callID: nil, refusal: nil))
        #expect(try await application.events.next().joinReason == .developerRequest)
        let mode = ApplicationInterface.TransmissionModeRequest(channelID: nil, mode: .fullDuplex)
        try await application.calls.call(ApplicationInterface.setTransmissionMode, mode)
        #expect(try await application.events.next() == .requestAnswered(callID: nil, refusal: nil))
        #expect(
            try await application.events.next() == .transmissionModeChanged(transmissionMode: .fullDuplex)
        )
        let refused = try await refusal { _ = try await application.calls.begin(.button) }
        #expect(try await application.events.next() == .requestAnswered(callID: nil, refusal: refused))
    }

    @Test @EventLoop func `every result of the second connection is notified, in the order of the calls`()
        async throws
    {
        let core = try await CoreFixture.start()
        let application = try await AttachedApplication.attach(to: core)
        _ = try await application.calls.status()
        #expect(try await application.events.next() == .requestAnswered(callID: nil, refusal: nil))
        let refused = try await refusal { try await application.calls.leave() }
        #expect(try await application.events.next() == .requestAnswered(callID: nil, refusal: refused))
        await #expect(throws: VarlinkCallError.self) { try await application.calls.image("none") }
        guard case .requestAnswered(nil, let missing?) = try await application.events.next() else {
            return #expect(Bool(false))
        }
        #expect(missing.code == .unknown)
        await #expect(throws: VarlinkCallError.self) {
            try await application.calls.client.call(
                ApplicationInterface.setForeground.qualifiedName,
                ["isForeground": "perhaps"]
            )
        }
        guard case .requestAnswered(nil, let senseless?) = try await application.events.next() else {
            return #expect(Bool(false))
        }
        #expect(senseless.reason.contains("SetForeground"))
    }

    @Test @EventLoop func `the result of a numbered call has its number`() async throws {
        let core = try await CoreFixture.start()
        let application = try await AttachedApplication.attach(to: core)
        func call(_ method: String, _ parameters: JSONText) async throws {
            _ = try await application.calls.client.call(method, parameters)
        }
        let foreground = "\(ApplicationInterface.name).SetForeground"
        try await call(foreground, ["isForeground": true, "callID": 7])
        #expect(
            try await application.events.next() == .requestAnswered(callID: CallID(rawValue: 7), refusal: nil)
        )
        let refused = try await refusal {
            try await call("\(ChannelInterface.name).EndTransmitting", ["callID": 3])
        }
        #expect(
            try await application.events.next()
                == .requestAnswered(callID: CallID(rawValue: 3), refusal: refused)
        )
        await #expect(throws: VarlinkCallError.self) {
            try await call(foreground, ["isForeground": true, "callID": "seven"])
        }
    }

    @Test(arguments: [true, false])
    @EventLoop func `losing either connection closes the other`(isFirst: Bool) async throws {
        let core = try await CoreFixture.start()
        let application = try await AttachedApplication.attach(to: core)
        let ended = AsyncQueue(of: Void.self)
        application.calls.client.onClose = { _ in ended.add(()) }
        if isFirst {
            application.closeTold()
            try await ended.next()
        } else {
            application.calls.close()
            try await application.ended.next()
        }
    }

    @Test @EventLoop func `a call token is valid once, and only for a connection without earlier requests`()
        async throws
    {
        let core = try await CoreFixture.start()
        let application = try await AttachedApplication.attach(to: core)
        let used = ApplicationInterface.UseAttachmentRequest(callToken: application.attachment.callToken)
        let stranger = try core.connect()
        let refused = try await refusal { try await stranger.call(ApplicationInterface.useAttachment, used) }
        #expect(refused.reason.contains("used up"))
        let notAttached = try await refusal {
            try await stranger.call(
                ApplicationInterface.setForeground,
                ApplicationInterface.ForegroundRequest(isForeground: true)
            )
        }
        #expect(notAttached.code == .unknown)
    }

    @Test @EventLoop
    func `the second of two applications gets the reason why it cannot join, and receives the same events`()
        async throws
    {
        let core = try await CoreFixture.start()
        let first = try await AttachedApplication.attach(to: core, "org.example.First")
        let second = try await AttachedApplication.attach(to: core, "org.example.Second")
        #expect(first.attachment.pushToken != second.attachment.pushToken)
        _ = try await first.join(.hikers)
        let refused = try await refusal { _ = try await second.join(.other) }
        #expect(refused.code == .channelLimitReached)
        let foreign = try await refusal { try await second.calls.leave() }
        #expect(foreign.code == .channelNotFound)
        first.die()
        #expect(try await second.events.first { $0 == .applicationDetached } == .applicationDetached)
        #expect(try await second.calls.status().channel?.channelID == .hikers)
    }

    @Test @EventLoop func `an Attach without more is refused, and its connection stays`() async throws {
        let core = try await CoreFixture.start()
        let client = try core.connect()
        await #expect(throws: VarlinkCallError.self) {
            try await client.call(
                ApplicationInterface.attach,
                ApplicationInterface.AttachRequest(
                    identifier: .init(rawValue: "org.example.App"),
                    name: "App"
                )
            )
        }
        #expect(try await client.status().channel == nil)
    }

    @Test @EventLoop func `a picture can be fetched by its identifier`() async throws {
        let core = try await CoreFixture.start()
        let application = try await AttachedApplication.attach(to: core)
        let picture = try Image([0x89, 0x50, 0x4E, 0x47] + [UInt8](repeating: 7, count: 200_000))
        _ = try await application.join(.hikers, image: picture.base64)
        let summary = try #require(try await application.calls.status().channel?.image)
        #expect(summary.byteCount == 200_004)
        #expect(try await application.calls.image(summary.imageID) == picture.base64)
        do {
            _ = try await application.calls.image("0123")
            Issue.record("a picture that is not there was found")
        } catch VarlinkCallError.answered(let error) {
            #expect(error.name == ChannelInterface.imageNotFound)
        }
    }

    @Test(arguments: [
        (String(repeating: "A", count: 400_000), "262144"), ("bm90aGluZw==", "neither PNG"),
        ("???", "base64"),
    ])
    @EventLoop func `a picture that cannot be kept is left out and logged`(picture: String, reason: String)
        async throws
    {
        let core = try await CoreFixture.start()
        let application = try await AttachedApplication.attach(to: core)
        _ = try await application.join(.hikers, image: picture)
        _ = try await core.process.lines.first { $0.hasPrefix("notice: ") && $0.contains(reason) }
        let channel = try #require(try await application.calls.status().channel)
        #expect(channel.image == nil && channel.name == "Hikers")
    }

    @Test @EventLoop
    func `an application receives the kinds of events that it named, and all that are for it alone`()
        async throws
    {
        let core = try await CoreFixture.start()
        let application = try await AttachedApplication.attach(to: core, kinds: ["channelLeft"])
        _ = try await application.calls.join()
        try await core.connect().call(ChannelInterface.setVolume, .init(volume: 80))
        try await application.calls.leave()
        var kinds: [String] = []
        repeat { kinds.append(try await application.events.next().kind) } while kinds.last != "channelLeft"
        #expect(Set(kinds).isSubset(of: ["requestAnswered", "channelLeft"]))
    }
}
