/// What a lock screen shows as a media player.
package enum MediaPlayer {
    package struct Content: Equatable, Sendable {
        package var title: String
        package var artist: String
        /// A picture that is ready.
        package var imageID: String?

        package init(title: String, artist: String, imageID: String? = nil) {
            self.title = title
            self.artist = artist
            self.imageID = imageID
        }
    }
}
