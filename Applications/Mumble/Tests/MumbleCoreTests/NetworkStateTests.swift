import CNetlink
import Glibc
import Testing

@testable import MumbleCore

@Suite struct NetworkStateTests {
    private let first: [UInt8] = [192, 168, 1, 7]
    private let ofLink: [UInt8] = [0xfe, 0x80] + [UInt8](repeating: 1, count: 14)
    private let global: [UInt8] = [0x20, 0x01] + [UInt8](repeating: 1, count: 14)

    private func prefix(_ bytes: [UInt8], _ length: Int) throws -> IPPrefix {
        let address = try #require(IPAddress(bytes))
        return try #require(IPPrefix(address, length: length))
    }

    private func changes(_ messages: NetworkMessage...) -> [NetworkChange] {
        var state = NetworkState()
        return state.receive(messages.flatMap(\.bytes))
    }

    @Test func `several messages come in one piece`() throws {
        let removed = NetworkChange.addressRemoved(try #require(IPAddress(first)))
        #expect(changes(.address(isNew: false, first), .address([10, 0, 0, 1])) == [removed, .addressAdded])
    }

    @Test func `an address that is repeated is no change, and one that comes back is`() {
        #expect(changes(.address(first), .address(first)) == [.addressAdded])
        #expect(changes(.address(first), .address(isNew: false, first), .address(first)).count == 3)
    }

    @Test func `after messages were lost, what was known before does not count`() {
        var state = NetworkState()
        let messages = NetworkMessage.address(first).bytes + NetworkMessage.link(isRunning: true).bytes
        let changes: [NetworkChange] = [.addressAdded, .link(isRunning: true)]
        #expect(state.receive(messages) == changes && state.receive(messages) == [])
        #expect(state.lostMessages() == .unknown)
        #expect(state.receive(messages) == changes)
    }

    @Test func `an address counts once nobody else is found to have it`() {
        #expect(changes(.address(global, flags: IFA_F_TENTATIVE)) == [])
        #expect(changes(.address(global, flags: IFA_F_TENTATIVE), .address(global)) == [.addressAdded])
        #expect(changes(.address(global, flags: IFA_F_DADFAILED)) == [])
    }

    @Test func `of a link between two, our address is the one at our end`() throws {
        let own = try #require(IPAddress(first))
        #expect(changes(.address(isNew: false, first, peer: [10, 0, 0, 9])) == [.addressRemoved(own)])
    }

    @Test func `what is of one link only leads nowhere`() {
        #expect(changes(.address(ofLink), .route(to: ofLink, 64, family: AF_INET6)) == [])
    }

    @Test func `the default route has no destination, and others have one`() throws {
        let everything = try prefix([0, 0, 0, 0], 0)
        let network = try prefix([10, 1, 0, 0], 16)
        #expect(
            changes(.route(), .route(isNew: false, to: [10, 1, 0, 0], 16)) == [
                .routeAdded(everything), .routeRemoved(network),
            ]
        )
    }

    @Test func `a route that is repeated is no change, however old it is, and one that leads elsewhere is`()
        throws
    {
        let everything = NetworkChange.routeAdded(try prefix([0, 0, 0, 0], 0))
        let router: [UInt8] = [192, 168, 1, 1]
        #expect(changes(.route(via: router, age: 1), .route(via: router, age: 2)) == [everything])
        #expect(changes(.route(via: router), .route(via: first)) == [everything, everything])
        // Another one beside it, of which neither is one that is replaced.
        #expect(
            changes(
                .route(via: router, metric: 1),
                .route(via: router, metric: 2),
                .route(via: router, metric: 1)
            ) == [everything, everything]
        )
    }

    @Test func `a route that comes back is a change, also where the kernel does not tell that it was gone`()
        throws
    {
        let everything = try prefix([0, 0, 0, 0], 0)
        let (added, removed) = (NetworkChange.routeAdded(everything), NetworkChange.routeRemoved(everything))
        #expect(changes(.route(), .route(isNew: false), .route()) == [added, removed, added])
        for other in [NetworkMessage.link(isRunning: false), .address(isNew: false, first)] {
            let told = changes(.route(), other, .route())
            #expect(told.count == 3 && told.last == added)
        }
    }

    @Test func `routes to this machine itself are none`() {
        #expect(changes(.route(to: first, 32, type: RTN_LOCAL)) == [])
    }

    @Test func `a link is reported when it begins to carry something, and ceases`() {
        #expect(
            changes(
                .link(isRunning: true),
                .link(isRunning: true),
                .link(isRunning: false),
                .link(isThere: false, isRunning: false)
            ) == [.link(isRunning: true), .link(isRunning: false)]
        )
    }

    @Test func `a prefix contains the addresses that begin with it`() throws {
        for (length, other, isContained) in [
            (17, [10, 1, 200, 3], true), (17, [10, 1, 100, 3], false), (0, [8, 8, 8, 8], true),
            (32, [10, 1, 128, 0], true), (32, [10, 1, 128, 1], false), (0, global, false),
        ] as [(Int, [UInt8], Bool)] {
            let other = try #require(IPAddress(other))
            #expect(try prefix([10, 1, 128, 0], length).contains(other) == isContained)
        }
        let address = try #require(IPAddress(first))
        #expect(IPPrefix(address, length: 33) == nil)
    }

    @Test func `random and shortened messages neither crash nor fill the memory`() {
        var random = SystemRandomNumberGenerator()
        var state = NetworkState()
        for _ in 0..<20_000 {
            let bytes: [UInt8] = (0..<4).map { _ in UInt8.random(in: 0...255, using: &random) }
            let messages: [NetworkMessage] = [
                .address(bytes), .route(to: bytes, bytes[0]), .link(isRunning: true),
            ]
            var text = messages.shuffled(using: &random).flatMap(\.bytes)
            text[Int.random(in: 0..<text.count, using: &random)] = bytes[1]
            _ = state.receive(text.dropLast(Int.random(in: 0..<text.count, using: &random)))
            _ = state.receive([0, 0, 0, 0] + bytes)
        }
    }
}
