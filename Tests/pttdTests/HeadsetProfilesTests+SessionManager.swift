import CoreConfiguration
import EventLoop
import Testing

@testable import PulseAudio
@testable import pttd

/// The session manager, or a person, changes the profile meanwhile.
extension HeadsetProfilesTests {
    @Test(arguments: Server.allCases)
    func `a headset that goes and returns by way of no profile is changed back`(server: Server) {
        var headset = Headset(server)
        var profiles = transmitting(.transmission, on: &headset)
        headset.active = "off"
        #expect(handle(&profiles, headset.listed(hasSource: false)).isEmpty)
        #expect(handle(&profiles, .listed(AudioDevices())).isEmpty)
        #expect(handle(&profiles, .transmissionEnded).isEmpty)
        #expect(handle(&profiles, headset.listed(hasSource: false)).isEmpty)
        headset.active = headset.talk
        #expect(handle(&profiles, headset.listed()) == [headset.set(headset.music)])
        headset.active = headset.music
        #expect(handle(&profiles, headset.listed()) == [.save([])])
    }

    /// WirePlumber stores our profile, but not its own change back: the headset would connect with ours.
    @Test(arguments: [HeadsetMode.transmission, .conversation, .channel])
    func `where WirePlumber changes the profile itself, each mode changes it for a transmission and back`(
        mode: HeadsetMode
    ) {
        var headset = Headset(.wirePlumber05)
        var profiles = HeadsetProfiles(mode)
        #expect(handle(&profiles, headset.listed()).isEmpty)
        #expect(handle(&profiles, .channelChanged(isJoined: true)).isEmpty)
        for _ in 1...2 {
            #expect(handle(&profiles, .transmissionBegan) == [.save([headset.change])])
            #expect(handle(&profiles, .saved(true)) == [headset.set(headset.talk)])
            headset.active = headset.talk
            #expect(handle(&profiles, headset.listed()) == [.openMicrophone(source: headset.source)])
            #expect(handle(&profiles, .transmissionEnded) == [headset.set(headset.music)])
            headset.active = headset.music
            // Its source may be missing meanwhile.
            #expect(handle(&profiles, headset.listed(hasSource: false)) == [.save([])])
            #expect(handle(&profiles, headset.listed()).isEmpty)
        }
    }

    /// It does so where the first sound of the headset takes longer than two seconds.
    @Test func `a profile that WirePlumber takes back during a transmission is changed back after it`() {
        var headset = Headset(.wirePlumber05)
        var profiles = transmitting(.transmission, on: &headset)
        headset.active = headset.music
        #expect(handle(&profiles, headset.listed()).isEmpty)
        headset.active = headset.talk
        #expect(handle(&profiles, headset.listed()).isEmpty)
        #expect(handle(&profiles, .transmissionEnded) == [headset.set(headset.music)])
    }

    @Test(arguments: [true, false])
    func `a press while the profile is changed back waits for the headset`(hasSink: Bool) {
        var headset = Headset(.wirePlumber05)
        var profiles = transmitting(.conversation, on: &headset)
        // Long after the order to change it.
        let later = Self.start + .seconds(20)
        #expect(handle(&profiles, .transmissionEnded, at: later) == [headset.set(headset.music)])
        (headset.active, headset.isPlaying, headset.hasSink) = (headset.music, false, hasSink)
        #expect(handle(&profiles, headset.listed(), at: later) == [.save([])])
        #expect(handle(&profiles, .transmissionBegan, at: later) == [.save([headset.change])])
        #expect(handle(&profiles, .saved(true), at: later) == [headset.set(headset.talk)])
        (headset.active, headset.isPlaying, headset.hasSink) = (headset.talk, true, true)
        #expect(handle(&profiles, headset.listed(), at: later) == [.openMicrophone(source: headset.source)])
    }

    /// Until then the server lists the microphone that is about to go.
    @Test(arguments: [Server.pulseAudio, .pipeWire])
    func `a press before the profile is changed back waits until it is, and for the next change`(
        server: Server
    ) {
        var headset = Headset(server)
        var profiles = transmitting(.transmission, on: &headset)
        #expect(handle(&profiles, .transmissionEnded) == [headset.set(headset.music)])
        #expect(handle(&profiles, .transmissionBegan).isEmpty)
        #expect(handle(&profiles, headset.listed()).isEmpty)
        headset.active = headset.music
        #expect(handle(&profiles, headset.listed()) == [.save([]), .save([headset.change])])
        #expect(handle(&profiles, .saved(true)) == [headset.set(headset.talk)])
        headset.active = headset.talk
        #expect(handle(&profiles, headset.listed()) == [.openMicrophone(source: headset.source)])
    }

    /// Its source stays. Awaiting the other profile first costs the headset its voice link (PipeWire 1.6).
    @Test func `where WirePlumber changes the profile itself, such a press has the microphone at once`() {
        var headset = Headset(.wirePlumber05)
        var profiles = transmitting(.transmission, on: &headset)
        #expect(handle(&profiles, .transmissionEnded) == [headset.set(headset.music)])
        let effects = handle(&profiles, .transmissionBegan)
        #expect(effects == [headset.set(headset.talk), .openMicrophone(source: headset.source)])
    }

    @Test func `a change that the server does not answer in time, and makes, is undone`() {
        var headset = Headset(.pipeWire)
        var profiles = HeadsetProfiles(.transmission)
        _ = handle(&profiles, headset.listed())
        _ = handle(&profiles, .transmissionBegan)
        _ = handle(&profiles, .saved(true))
        #expect(handle(&profiles, .refused(card: headset.change.card)) == [.openMicrophone(source: nil)])
        headset.active = headset.talk
        #expect(handle(&profiles, headset.listed()).isEmpty)
        #expect(handle(&profiles, .transmissionEnded) == [headset.set(headset.music)])
    }

    @Test func `a profile that is not changed back for now is with the next list`() {
        var headset = Headset(.pipeWire)
        var profiles = transmitting(.transmission, on: &headset)
        #expect(handle(&profiles, .transmissionEnded) == [headset.set(headset.music)])
        #expect(handle(&profiles, .refused(card: headset.change.card)).isEmpty)
        #expect(handle(&profiles, headset.listed()) == [headset.set(headset.music)])
        headset.active = headset.music
        #expect(handle(&profiles, headset.listed()) == [.save([])])
    }

    @Test func `a recording that outlives its channel keeps the microphone to its end`() {
        var headset = Headset(.pulseAudio)
        var profiles = HeadsetProfiles(.channel)
        _ = handle(&profiles, headset.listed())
        _ = handle(&profiles, .channelChanged(isJoined: true))
        _ = handle(&profiles, .saved(true))
        headset.active = headset.talk
        _ = handle(&profiles, headset.listed())
        #expect(handle(&profiles, .transmissionBegan) == [.openMicrophone(source: headset.source)])
        #expect(handle(&profiles, .channelChanged(isJoined: false)).isEmpty)
        #expect(handle(&profiles, .transmissionEnded) == [headset.set(headset.music)])
    }

    @Test func `a press while the headset is switched off does not wait for it`() {
        var headset = Headset(.pipeWire)
        var profiles = HeadsetProfiles(.transmission)
        _ = handle(&profiles, headset.listed())
        (headset.active, headset.hasSink) = (AudioCard.off, false)
        _ = handle(&profiles, headset.listed())
        #expect(handle(&profiles, .transmissionBegan) == [.openMicrophone(source: nil)])
    }
}
