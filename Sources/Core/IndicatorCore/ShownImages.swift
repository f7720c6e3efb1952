/// The pictures that are shown, or were lately.
struct ShownImages: Sendable {
    /// A few, so that two people who talk in turn are decoded once.
    private static let limit = 4

    /// Their identifiers; the one that was shown last comes last.
    private var images: [String] = []
    /// The pictures that can be shown. The others are being fetched, or are of no use.
    private(set) var ready: Set<String> = []

    /// - Parameter wanted: The pictures that are to be shown, no more than ``limit``.
    /// - Returns: The pictures to fetch, and those to drop.
    mutating func show(_ wanted: [String]) -> [Indicator.Effect] {
        var effects: [Indicator.Effect] = []
        for imageID in wanted {
            if let index = images.firstIndex(of: imageID) {
                images.append(images.remove(at: index))
            } else {
                images.append(imageID)
                effects.append(.fetchImage(imageID))
            }
        }
        while images.count > Self.limit {
            let imageID = images.removeFirst()
            ready.remove(imageID)
            effects.append(.dropImage(imageID))
        }
        return effects
    }

    mutating func fetched(_ imageID: String) {
        if images.contains(imageID) { ready.insert(imageID) }
    }

    /// The connection over which pictures are fetched is lost: those that are not here are fetched over the
    /// next, also those that are of no use perhaps for that reason alone.
    mutating func fetchingFailed() { images.removeAll { !ready.contains($0) } }
}
