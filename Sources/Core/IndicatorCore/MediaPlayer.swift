package import PTTMessages

/// The channel as a media player, for lock screens that show nothing else (MPRIS). Only if the person asked
/// for it, and only while somebody speaks or the microphone is open.
///
/// It can stop a transmission and never begin one: every media key, headset and telephone that controls music
/// sends `PlayPause` to the player that was the last to play, and a key that means music must not open a
/// microphone.
package struct MediaPlayer: Equatable, Sendable {
    package let title: Text
    package let artist: Text

    /// - Returns: Nil while there is to be no player.
    package init?(_ view: Destination?, _ settings: IndicatorSettings) {
        guard settings.lockScreen == .media, let view, view.speaker != nil || view.isMicrophoneOpen
        else { return nil }
        title = view.sentence(namesOnLockScreen: settings.namesOnLockScreen, withMicrophone: true)
        artist = view.name
    }
}
