/// The newest distinct elements: beyond the limit the oldest is evicted.
struct BoundedSet<Element: Equatable & Sendable>: Equatable, Sendable {
    let limit: Int
    /// The oldest first.
    private(set) var elements: [Element] = []

    /// An element that is there already becomes the newest.
    mutating func insert(_ element: Element) {
        remove { $0 == element }
        elements.append(element)
        elements.removeFirst(max(0, elements.count - limit))
    }

    mutating func remove(where isRemoved: (Element) -> Bool) {
        elements.removeAll(where: isRemoved)
    }

    func contains(_ element: Element) -> Bool {
        elements.contains(element)
    }
}
