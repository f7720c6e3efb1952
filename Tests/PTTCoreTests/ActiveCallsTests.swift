import PTTMessages
import TestSupport
import Testing

@testable import PTTCore

/// Which call is reported of those that several sources report.
@Suite struct ActiveCallsTests {
    private var calls = ActiveCalls()

    @Test mutating func `a call is reported for as long as it lasts, whatever begins meanwhile`() {
        #expect(calls.active == nil)
        calls.handle(.present(.phoneStream, .init(id: "1", name: "Mumble")))
        #expect(calls.active == ActiveCall(source: "phone stream", name: "Mumble"))
        calls.handle(.present(.modemManager, .init(id: "1", name: "a telephone call")))
        calls.handle(.present(.phoneStream, .init(id: "0", name: "Linphone")))
        #expect(calls.active?.name == "Mumble")
        calls.handle(.ended(.phoneStream, id: "1"))
        #expect(calls.active == ActiveCall(source: "ModemManager", name: "a telephone call"))
        calls.handle(.ended(.modemManager, id: "1"))
        #expect(calls.active?.name == "Linphone")
        calls.handle(.ended(.phoneStream, id: "0"))
        #expect(calls.active == nil)
    }

    @Test mutating func `the same identifier at two sources is two calls`() {
        calls.handle(.present(.oFono, .init(id: "/1", name: "one")))
        calls.handle(.present(.modemManager, .init(id: "/1", name: "two")))
        calls.handle(.ended(.oFono, id: "/1"))
        #expect(calls.active == ActiveCall(source: "ModemManager", name: "two"))
    }

    @Test mutating func `a call that is reported again is one call with its new name`() {
        for name in ["one", "two"] { calls.handle(.present(.phoneStream, .init(id: "1", name: name))) }
        #expect(calls.active?.name == "two")
        calls.handle(.ended(.phoneStream, id: "1"))
        #expect(calls.active == nil)
    }

    @Test mutating func `a source that is lost has no calls, the others keep theirs`() {
        for source in ActiveCalls.Source.allCases {
            calls.handle(.present(source, .init(id: "1", name: source.rawValue)))
        }
        var left = ActiveCalls.Source.allCases
        while let source = left.first {
            #expect(calls.active?.source == source.rawValue)
            calls.handle(.lost(source))
            left.removeFirst()
        }
        #expect(calls.active == nil)
    }

    @Test mutating func `calls that a listing does not contain have ended, within its part of the source`() {
        for id in ["/a/1", "/a/2", "/ab/1"] {
            calls.handle(.present(.oFono, .init(id: id, name: id)))
        }
        calls.handle(.retained(.oFono, prefix: "/a/", ids: ["/a/2", "/never"]))
        #expect(calls.active?.name == "/a/2")
        calls.handle(.retained(.oFono, prefix: "/a/", ids: []))
        #expect(calls.active?.name == "/ab/1")
        calls.handle(.retained(.modemManager, prefix: "", ids: []))
        #expect(calls.active?.name == "/ab/1")
        calls.handle(.retained(.oFono, prefix: "", ids: []))
        #expect(calls.active == nil)
    }

    @Test mutating func `the end of a call that is not known changes nothing`() {
        calls.handle(.present(.oFono, .init(id: "1", name: "one")))
        let before = calls
        calls.handle(.ended(.oFono, id: "2"))
        calls.handle(.ended(.callaudiod, id: "1"))
        calls.handle(.lost(.callaudiod))
        #expect(calls.active == before.active)
    }

    @Test mutating func `calls without end are bounded, and do not hide the first`() {
        for number in 0..<10_000 {
            calls.handle(.present(.phoneStream, .init(id: "\(number)", name: "\(number)")))
        }
        #expect(calls.active?.name == "0")
        for number in 0..<ActiveCalls.limit { calls.handle(.ended(.phoneStream, id: "\(number)")) }
        #expect(calls.active == nil)
    }

    @Test mutating func `a long name is cut between characters`() {
        for length in 96...104 {
            let name = String(repeating: "a", count: length) + "🎙️ and more"
            calls.handle(.present(.phoneStream, .init(id: "1", name: name)))
            let shown = calls.active?.name ?? ""
            #expect(name.hasPrefix(shown) || name.utf8.starts(with: shown.utf8))
            #expect((97...100).contains(shown.utf8.count))
        }
        calls.handle(.present(.phoneStream, .init(id: "1", name: "short")))
        #expect(calls.active?.name == "short")
    }

    /// Against a model: the calls in the order in which they came.
    @Test mutating func `a call is reported if and only if one is known, in every sequence`() {
        var generator = SplitMix.ofThisRun()
        for _ in 0..<2000 {
            var calls = ActiveCalls()
            var known: [(source: ActiveCalls.Source, id: String)] = []
            for _ in 0..<30 {
                let source = ActiveCalls.Source.allCases.randomElement(using: &generator) ?? .oFono
                let id = String(Int.random(in: 0..<3, using: &generator))
                let before = calls.active
                switch Int.random(in: 0..<4, using: &generator) {
                case 0, 1:
                    calls.handle(.present(source, .init(id: id, name: "\(source) \(id)")))
                    if !known.contains(where: { $0 == (source, id) }) { known.append((source, id)) }
                case 2:
                    calls.handle(.ended(source, id: id))
                    known.removeAll { $0 == (source, id) }
                default:
                    calls.handle(.lost(source))
                    known.removeAll { $0.source == source }
                }
                let names = known.map {
                    ActiveCall(source: $0.source.rawValue, name: "\($0.source) \($0.id)")
                }
                if let before, names.contains(before) {
                    #expect(calls.active == before)
                } else if let active = calls.active {
                    #expect(names.contains(active))
                } else {
                    #expect(names.isEmpty)
                }
            }
        }
    }
}
