import DBus
import Testing

@testable import Logind

/// The sessions of a user that make the user inactive, or locked.
@Suite struct LoginSessionsTests {
    /// Every sequence in which two sessions are locked, unlocked, activated and deactivated.
    @Test
    func `a user without an active session is inactive, one whose active sessions are all locked is locked`()
    {
        var sessions = LoginSessions()
        var known = [(isActive: true, isLocked: false), (isActive: true, isLocked: false)]
        for (index, path) in Self.paths.enumerated() {
            sessions.set(path, Self.session(known[index]), user: 7)
        }
        #expect(!sessions.isInactive && !sessions.isLocked)
        for step in 0..<256 {
            // The digits of the step, from the lowest, are changes of one or the other session.
            for digit in 0..<4 {
                let change = step >> (digit * 2) & 3
                let index = change & 1
                if change & 2 == 0 { known[index].isActive.toggle() } else { known[index].isLocked.toggle() }
                let name: BusKey = change & 2 == 0 ? "Active" : "LockedHint"
                let value = change & 2 == 0 ? known[index].isActive : known[index].isLocked
                let isKnown = sessions.update(Self.paths[index], [name: .boolean(value)])
                #expect(isKnown)
                let inFront = known.filter(\.isActive)
                #expect(sessions.isInactive == inFront.isEmpty)
                #expect(sessions.isLocked == (inFront.isEmpty ? known : inFront).allSatisfy(\.isLocked))
            }
        }
    }

    @Test func `sessions of other users, without a seat or ended do not make a user inactive`() {
        var sessions = LoginSessions()
        let away = Self.session((false, true))
        sessions.set("/a", away, user: 8)
        sessions.set("/b", Self.session((false, true), seat: ""), user: 7)
        sessions.set("/c", [:], user: 7)
        #expect(!sessions.isInactive && !sessions.isLocked)
        let isKnown = sessions.update("/a", ["LockedHint": .boolean(true)])
        #expect(!isKnown)
        sessions.set("/d", away, user: 7)
        #expect(sessions.isInactive && sessions.isLocked)
        sessions.removeAll(except: ["/a", "/d"])
        #expect(sessions.isInactive)
        sessions.removeAll(except: ["/a"])
        #expect(!sessions.isInactive && !sessions.isLocked)
    }

    private static let paths: [ObjectPath] = ["/one", "/two"]

    private static func session(_ state: (isActive: Bool, isLocked: Bool), seat: String = "seat0") -> [BusKey:
        BusValue]
    {
        [
            "User": .structure([.uint32(7), .objectPath("/user")]),
            "Seat": .structure([.string(seat), .objectPath("/seat")]),
            "Active": .boolean(state.isActive), "LockedHint": .boolean(state.isLocked),
        ]
    }
}
