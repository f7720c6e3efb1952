import Testing

@testable import MumbleCore

@Suite struct ChannelListTests {
    private let list: ChannelList

    init() throws {
        list = try ChannelList(
            """
            # Ours
            ops = "mumble://ann@radio.example/Ops"

              north-2 = "mumble://ann:secret@radio.example/Field/North" # far
            club="mumble://ann@club.example"\r
            """
        )
    }

    private func destination(_ name: String) throws -> Destination { try #require(list.destination(name)) }

    @Test func `channels have the names and the order of the lines`() throws {
        #expect(list.names == ["ops", "north-2", "club"])
        #expect(try destination("north-2").address.path == ["Field", "North"])
        #expect(list.destination("south") == nil)
    }

    @Test func `a password in it is noticed`() throws {
        #expect(list.hasPassword)
        #expect(try ChannelList("ops = \"mumble://ann@host/\"").hasPassword == false)
    }

    @Test func `steps go from line to line and around`() throws {
        let names = list.names
        for (index, name) in names.enumerated() {
            let next = list.neighbour(of: try destination(name), isNext: true)
            #expect(next?.text == names[(index + 1) % 3])
            #expect(try list.neighbour(of: #require(next), isNext: false)?.text == name)
        }
    }

    @Test func `from elsewhere steps go to the ends`() throws {
        let text = "mumble://ann@host/Other"
        let elsewhere = Destination(text: text, address: try ServerAddress(text))
        #expect(list.neighbour(of: elsewhere, isNext: true)?.text == "ops")
        #expect(list.neighbour(of: elsewhere, isNext: false)?.text == "club")
    }

    @Test func `where there is no other channel, nothing is stepped to`() throws {
        let one = try ChannelList("ops = \"mumble://ann@host/\"")
        #expect(one.neighbour(of: try #require(one.destination("ops")), isNext: true) == nil)
        #expect(try ChannelList("").neighbour(of: destination("ops"), isNext: true) == nil)
    }

    @Test(arguments: [
        ("ops", "line 1: write NAME"),
        ("\nops = mumble://ann@host/", "line 2: write NAME"),
        ("o ps = \"mumble://ann@host/\"", "line 1: write NAME"),
        ("[ops]", "line 1: write NAME"),
        ("ops = \"mumble://ann@host/\" more", "line 1: write NAME"),
        ("ops = \"mumble://host/\"", "line 1, ops: the address has no user"),
        ("ops = \"mumble://ann@host/\"\nops = \"mumble://ann@host/\"", "line 2: ops is there before"),
    ])
    func `what is wrong is said with its line`(_ text: String, _ reason: String) {
        let error = #expect(throws: ChannelList.Invalid.self) { try ChannelList(text) }
        #expect(error?.description.hasPrefix(reason) == true, "\(error?.description ?? "")")
    }
}
