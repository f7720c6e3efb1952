import CoreConfiguration
import EventLoop
import Testing

@testable import PulseAudio
@testable import pttd

/// What the session manager, or a person, does to the profile meanwhile.
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

    @Test(arguments: [HeadsetMode.conversation, .channel])
    func `a profile that WirePlumber takes back is changed again with the next transmission, not before`(
        mode: HeadsetMode
    ) {
        var headset = Headset(.wirePlumber05)
        var profiles = HeadsetProfiles(mode)
        _ = handle(&profiles, .channelChanged(isJoined: true))
        _ = handle(&profiles, headset.listed())
        _ = handle(&profiles, .transmissionBegan)
        _ = handle(&profiles, .saved(true))
        headset.active = headset.talk
        #expect(handle(&profiles, headset.listed()) == [.openMicrophone(source: headset.source)])
        _ = handle(&profiles, .transmissionEnded)
        headset.active = headset.music
        #expect(handle(&profiles, headset.listed()) == [.save([])])
        #expect(handle(&profiles, headset.listed()).isEmpty)
        #expect(handle(&profiles, .transmissionBegan) == [.save([headset.change])])
        #expect(handle(&profiles, .saved(true)) == [headset.set(headset.talk)])
    }

    @Test(arguments: [true, false])
    func `a press while WirePlumber takes the profile back waits for the headset`(hasSink: Bool) {
        var headset = Headset(.wirePlumber05)
        var profiles = transmitting(.conversation, on: &headset)
        // Long after the order to change it.
        let later = Self.start + .seconds(20)
        _ = handle(&profiles, .transmissionEnded, at: later)
        (headset.active, headset.isPlaying, headset.hasSink) = (headset.music, false, hasSink)
        #expect(handle(&profiles, headset.listed(), at: later) == [.save([])])
        #expect(handle(&profiles, .transmissionBegan, at: later) == [.save([headset.change])])
        #expect(handle(&profiles, .saved(true), at: later) == [headset.set(headset.talk)])
        (headset.active, headset.isPlaying, headset.hasSink) = (headset.talk, true, true)
        #expect(handle(&profiles, headset.listed(), at: later) == [.openMicrophone(source: headset.source)])
    }

    @Test func `a press while the headset is switched off does not wait for it`() {
        var headset = Headset(.pipeWire)
        var profiles = HeadsetProfiles(.transmission)
        _ = handle(&profiles, headset.listed())
        (headset.active, headset.hasSink) = (AudioCard.off, false)
        _ = handle(&profiles, headset.listed())
        #expect(handle(&profiles, .transmissionBegan) == [.openMicrophone(source: nil)])
    }

    @Test
    func `WirePlumber may take the profile back while its source is missing, and the next press gets it`() {
        var headset = Headset(.wirePlumber05)
        var profiles = HeadsetProfiles(.conversation)
        _ = handle(&profiles, headset.listed())
        _ = handle(&profiles, .transmissionBegan)
        _ = handle(&profiles, .saved(true))
        headset.active = headset.talk
        #expect(handle(&profiles, headset.listed()).contains(.openMicrophone(source: headset.source)))
        _ = handle(&profiles, .transmissionEnded)
        headset.active = headset.music
        headset.hasSink = false
        #expect(handle(&profiles, headset.listed(hasSource: false)).contains(.save([])))
        #expect(handle(&profiles, .transmissionBegan).contains(.save([headset.change])))
        #expect(handle(&profiles, .saved(true)).contains(headset.set(headset.talk)))
    }
}
