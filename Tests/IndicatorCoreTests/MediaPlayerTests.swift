import PTTMessages
import Testing

@testable import IndicatorCore

@Suite struct MediaPlayerTests {
    static let media = IndicatorSettings(lockScreen: .media)
    static let silent = Destination.radio
    static let speaking = {
        var view = silent
        view.speaker = .init(name: Text("Anna"))
        return view
    }()

    @Test func `there is no player unless the person asked for one`() {
        for lockScreen in [IndicatorSettings.LockScreen.text, .off] {
            #expect(MediaPlayer(Self.speaking, IndicatorSettings(lockScreen: lockScreen)) == nil)
        }
    }

    @Test func `the player is there while somebody speaks or the microphone is open`() {
        #expect(MediaPlayer(nil, Self.media) == nil)
        #expect(MediaPlayer(Self.silent, Self.media) == nil)
        let player = MediaPlayer(Self.speaking, Self.media)
        #expect(player?.title == "Anna speaks")
        #expect(player?.artist == "Radio")
        var talking = Self.silent
        talking.isMicrophoneOpen = true
        #expect(MediaPlayer(talking, Self.media)?.title == "The microphone is open")
    }

    @Test func `a locked screen shows no name`() {
        var locked = Self.speaking
        locked.isLocked = true
        #expect(MediaPlayer(locked, Self.media)?.title == "Somebody speaks")
    }
}
