/// The pictures that are shown, or were lately.
struct ShownImages: Sendable {
    /// A few, so that two people who talk in turn are decoded once.
    private static let limit = 4

    private enum Progress {
        case fetching
        case ready
        case unusable
    }

    /// The pictures by their identifiers; the one that was shown last comes last.
    private var images: [(imageID: String, progress: Progress)] = []

    var ready: Set<String> { Set(images.lazy.filter { $0.progress == .ready }.map(\.imageID)) }

    /// - Parameter wanted: The pictures that are to be shown, no more than ``limit``.
    /// - Returns: What to fetch, and what to drop.
    mutating func show(_ wanted: [String]) -> [Indicator.Effect] {
        var effects: [Indicator.Effect] = []
        for imageID in wanted {
            if let index = images.firstIndex(where: { $0.imageID == imageID }) {
                images.append(images.remove(at: index))
            } else {
                images.append((imageID, .fetching))
                effects.append(.fetchImage(imageID))
            }
        }
        while images.count > Self.limit { effects.append(.dropImage(images.removeFirst().imageID)) }
        return effects
    }

    mutating func ready(_ imageID: String) { set(.ready, of: imageID) }

    mutating func unusable(_ imageID: String) { set(.unusable, of: imageID) }

    /// The connection over which pictures are fetched is lost: those that are not here are fetched over the
    /// next, also those that are unusable perhaps for that reason alone.
    mutating func fetchingFailed() { images.removeAll { $0.progress != .ready } }

    private mutating func set(_ progress: Progress, of imageID: String) {
        guard let index = images.firstIndex(where: { $0.imageID == imageID }) else { return }
        images[index].progress = progress
    }
}
