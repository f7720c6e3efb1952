/// The newest of what is remembered, each once: beyond the limit the oldest is forgotten.
struct Newest<Element: Equatable & Sendable>: Equatable, Sendable {
    let limit: Int
    private(set) var elements: [Element] = []

    init(limit: Int) {
        self.limit = limit
    }

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
