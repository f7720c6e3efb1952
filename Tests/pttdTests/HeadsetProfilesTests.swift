import CoreConfiguration
import EventLoop
import Testing

@testable import PulseAudio
@testable import pttd

/// When the profile of a Bluetooth headset is changed, and changed back.
@Suite struct HeadsetProfilesTests {
    static let start = MonotonicInstant(nanoseconds: 1_000_000_000)

    func handle(
        _ profiles: inout HeadsetProfiles,
        _ event: HeadsetProfiles.Event,
        at time: MonotonicInstant = start
    ) -> [HeadsetProfiles.Effect] {
        profiles.handle(event, at: time)
    }

    /// After the change to the profile with a microphone.
    func transmitting(_ mode: HeadsetMode, on headset: inout Headset) -> HeadsetProfiles {
        var profiles = HeadsetProfiles(mode)
        _ = handle(&profiles, headset.listed())
        _ = handle(&profiles, .transmissionBegan)
        _ = handle(&profiles, .saved(true))
        headset.active = headset.talk
        _ = handle(&profiles, headset.listed())
        return profiles
    }

    @Test(arguments: Server.allCases)
    func `for a transmission the change is written down, made, awaited, and undone`(server: Server) {
        var headset = Headset(server)
        var profiles = HeadsetProfiles(.transmission)
        #expect(handle(&profiles, headset.listed()).isEmpty)
        #expect(handle(&profiles, .transmissionBegan) == [.save([headset.change])])
        #expect(handle(&profiles, .saved(true)) == [headset.set(headset.talk)])
        // The profile is changed before its source exists, or delivers.
        #expect(handle(&profiles, headset.listed()).isEmpty)
        headset.active = headset.talk
        if server != .wirePlumber05 {
            #expect(handle(&profiles, headset.listed(hasSource: false)).isEmpty)
        }
        #expect(handle(&profiles, headset.listed()) == [.openMicrophone(source: headset.source)])
        #expect(handle(&profiles, headset.listed()).isEmpty)
        #expect(handle(&profiles, .transmissionEnded) == [headset.set(headset.music)])
        #expect(handle(&profiles, headset.listed()).isEmpty)
        headset.active = headset.music
        #expect(handle(&profiles, headset.listed()) == [.save([])])
    }

    @Test(arguments: Server.allCases)
    func `its microphone is awaited also while its sink is replaced and another one is the default`(
        server: Server
    ) {
        var headset = Headset(server)
        var profiles = HeadsetProfiles(.transmission)
        _ = handle(&profiles, headset.listed())
        _ = handle(&profiles, .transmissionBegan)
        _ = handle(&profiles, .saved(true))
        headset.isPlaying = false
        #expect(handle(&profiles, headset.listed(hasSource: false)).isEmpty)
        headset.active = headset.talk
        if server != .wirePlumber05 {
            #expect(handle(&profiles, headset.listed(hasSource: false)).isEmpty)
        }
        #expect(handle(&profiles, headset.listed()) == [.openMicrophone(source: headset.source)])
        #expect(handle(&profiles, .transmissionEnded) == [headset.set(headset.music)])
        headset.active = headset.music
        #expect(handle(&profiles, headset.listed()) == [.save([])])
        // Pressed again before it is the default speaker again, and later, when a person has chosen another
        // one.
        #expect(handle(&profiles, .transmissionBegan) == [.save([headset.change])])
        #expect(handle(&profiles, .transmissionEnded) == [.save([])])
        let later = Self.start + HeadsetProfiles.waitLimit
        #expect(handle(&profiles, .transmissionBegan, at: later) == [.openMicrophone(source: nil)])
    }

    @Test(arguments: Server.allCases)
    func
        `in the music mode, without a headset that plays, or without a profile nothing is changed or awaited`(
            server: Server
        )
    {
        let headset = Headset(server)
        var elsewhere = headset
        elsewhere.isPlaying = false
        var unavailable = headset
        unavailable.isAvailable = false
        let cases: [(HeadsetMode, HeadsetProfiles.Event)] = [
            (.music, headset.listed()), (.transmission, elsewhere.listed()),
            (.transmission, unavailable.listed()), (.transmission, .serverLost),
            (.channel, headset.listed()),
        ]
        for (mode, devices) in cases {
            var profiles = HeadsetProfiles(mode)
            #expect(handle(&profiles, devices).isEmpty)
            #expect(handle(&profiles, .transmissionBegan) == [.openMicrophone(source: nil)])
            #expect(handle(&profiles, .transmissionEnded).isEmpty)
        }
    }

    @Test func `a profile with a microphone that is in use already is used and left`() {
        var headset = Headset(.pulseAudio)
        headset.active = headset.talk
        var profiles = HeadsetProfiles(.transmission)
        _ = handle(&profiles, headset.listed())
        #expect(handle(&profiles, .transmissionBegan) == [.openMicrophone(source: headset.source)])
        #expect(handle(&profiles, .transmissionEnded).isEmpty)
    }

    @Test func `a change that cannot be written down is not made`() {
        let headset = Headset(.pulseAudio)
        var profiles = HeadsetProfiles(.transmission)
        _ = handle(&profiles, headset.listed())
        _ = handle(&profiles, .transmissionBegan)
        #expect(handle(&profiles, .saved(false)) == [.openMicrophone(source: nil)])
        #expect(handle(&profiles, headset.listed()).isEmpty)
        #expect(handle(&profiles, .transmissionEnded).isEmpty)
    }

    @Test func `a headset that does not change its profile in time is not waited for, and changed back`() {
        let headset = Headset(.pipeWire)
        var profiles = HeadsetProfiles(.transmission)
        _ = handle(&profiles, headset.listed())
        _ = handle(&profiles, .transmissionBegan)
        _ = handle(&profiles, .saved(true))
        let late = Self.start + HeadsetProfiles.waitLimit
        #expect(profiles.timerEnd == late)
        #expect(handle(&profiles, .timerFired, at: late) == [.openMicrophone(source: nil)])
        #expect(profiles.timerEnd == nil)
        #expect(handle(&profiles, .transmissionEnded, at: late) == [headset.set(headset.music)])
    }

    @Test func `a profile that the server refuses is not waited for`() {
        let headset = Headset(.pipeWire)
        var profiles = HeadsetProfiles(.transmission)
        _ = handle(&profiles, headset.listed())
        _ = handle(&profiles, .transmissionBegan)
        _ = handle(&profiles, .saved(true))
        let effects = handle(&profiles, .refused(card: headset.change.card))
        #expect(effects == [.openMicrophone(source: nil)])
        #expect(handle(&profiles, headset.listed()) == [.save([])])
        #expect(handle(&profiles, .transmissionEnded).isEmpty)
        #expect(handle(&profiles, .transmissionBegan) == [.save([headset.change])])
    }

    @Test func `a release while the headset is awaited opens no microphone`() {
        var headset = Headset(.pipeWire)
        var profiles = HeadsetProfiles(.transmission)
        _ = handle(&profiles, headset.listed())
        _ = handle(&profiles, .transmissionBegan)
        #expect(handle(&profiles, .transmissionEnded) == [.save([])])
        // The answer to the first writing.
        #expect(handle(&profiles, .saved(true)).isEmpty)
        headset.active = headset.talk
        #expect(handle(&profiles, headset.listed()).isEmpty)
    }

    @Test func `a profile that somebody else chooses meanwhile stays`() {
        var headset = Headset(.pulseAudio)
        var profiles = transmitting(.transmission, on: &headset)
        headset.active = "a2dp_sink_aac"
        #expect(handle(&profiles, headset.listed()) == [.save([])])
        #expect(handle(&profiles, .transmissionEnded).isEmpty)
    }

    @Test func `a headset that somebody else switches off meanwhile stays off`() {
        var headset = Headset(.pulseAudio)
        var profiles = transmitting(.transmission, on: &headset)
        headset.active = "off"
        #expect(handle(&profiles, headset.listed(hasSource: false)).isEmpty)
        #expect(handle(&profiles, .transmissionEnded).isEmpty)
    }

    @Test func `a conversation keeps the microphone for 30 seconds after its last transmission`() {
        var headset = Headset(.pulseAudio)
        var profiles = transmitting(.conversation, on: &headset)
        let end = Self.start + .seconds(10)
        #expect(handle(&profiles, .transmissionEnded, at: end).isEmpty)
        #expect(profiles.timerEnd == end + .seconds(30))
        let next = end + .seconds(29)
        let again = profiles.handle(.transmissionBegan, at: next)
        #expect(again.contains(.openMicrophone(source: headset.source)))
        #expect(handle(&profiles, .timerFired, at: end + .seconds(30)).isEmpty)
        #expect(handle(&profiles, .transmissionEnded, at: next).isEmpty)
        let over = next + .seconds(30)
        #expect(handle(&profiles, .timerFired, at: over) == [headset.set(headset.music)])
    }

    @Test func `a channel keeps the microphone until it is left`() {
        var headset = Headset(.pipeWire)
        var profiles = HeadsetProfiles(.channel)
        _ = handle(&profiles, headset.listed())
        #expect(handle(&profiles, .channelChanged(isJoined: true)) == [.save([headset.change])])
        #expect(handle(&profiles, .saved(true)) == [headset.set(headset.talk)])
        headset.active = headset.talk
        #expect(handle(&profiles, headset.listed()).isEmpty)
        #expect(handle(&profiles, .transmissionBegan) == [.openMicrophone(source: headset.source)])
        #expect(handle(&profiles, .transmissionEnded).isEmpty)
        #expect(handle(&profiles, .channelChanged(isJoined: false)) == [headset.set(headset.music)])
    }

    @Test(arguments: Server.allCases)
    func `a change of an earlier run is undone, also when the headset returns later`(server: Server) {
        var headset = Headset(server)
        headset.active = headset.talk
        var profiles = HeadsetProfiles(.music, undone: [headset.change])
        #expect(handle(&profiles, .listed(AudioDevices())).isEmpty)
        #expect(handle(&profiles, headset.listed()) == [headset.set(headset.music)])
        headset.active = headset.music
        #expect(handle(&profiles, headset.listed()) == [.save([])])
    }

    @Test func `a change of an earlier run that was not made, or changed since, is forgotten`() {
        for profile in ["a2dp_sink", "a2dp_sink_aac"] {
            var headset = Headset(.pulseAudio)
            headset.active = profile
            var profiles = HeadsetProfiles(.transmission, undone: [headset.change])
            #expect(handle(&profiles, headset.listed()) == [.save([])])
        }
    }

    @Test func `a headset that goes away with our profile, or a server that is lost, is changed back later`()
    {
        for loss in [HeadsetProfiles.Event.serverLost, .listed(AudioDevices())] {
            var headset = Headset(.pulseAudio)
            var profiles = transmitting(.transmission, on: &headset)
            #expect(handle(&profiles, loss).isEmpty)
            #expect(handle(&profiles, .transmissionEnded).isEmpty)
            #expect(handle(&profiles, headset.listed()) == [headset.set(headset.music)])
        }
    }

    @Test(arguments: HeadsetMode.allCases)
    func `on exit every change is undone, and none is made after it`(mode: HeadsetMode) {
        var headset = Headset(.pipeWire)
        var profiles = HeadsetProfiles(mode)
        _ = handle(&profiles, headset.listed())
        _ = handle(&profiles, .channelChanged(isJoined: true))
        _ = handle(&profiles, .transmissionBegan)
        _ = handle(&profiles, .saved(true))
        headset.active = mode == .music ? headset.music : headset.talk
        _ = handle(&profiles, headset.listed())
        #expect(handle(&profiles, .stopping) == (mode == .music ? [] : [headset.set(headset.music)]))
        #expect(handle(&profiles, .transmissionBegan).filter { $0 == headset.set(headset.talk) }.isEmpty)
    }
}
