import SwiftProtobuf
import Testing

@testable import MumbleCore

@Suite struct TextTests {
    @Test func `an address has user, host, port and channel`() throws {
        let address = try ServerAddress("mumble://ann@radio.example:1234/Field%20ops/North")
        #expect(address.user == "ann" && address.host == "radio.example" && address.port == 1234)
        #expect(address.path == ["Field ops", "North"] && address.name == "North")
        let short = try ServerAddress("mumble://ann@[::1]")
        #expect(short.server == "[::1]:64738" && short.host == "::1" && short.path.isEmpty)
        #expect(try ServerAddress("mumble://Ann@Radio.Example/Ops").server == "radio.example:64738")
    }

    @Test(arguments: [
        "", "ann@host", "http://ann@host/", "mumble://host/Ops", "mumble://ann@/Ops", "mumble://ann@host:0/",
        "mumble://ann@host:70000/", "mumble://ann:secret@host/", "mumble://ann@a%0Ab/", "mumble://ann@a%20b/",
        "mumble://ann@a'b/", "mumble://ann@a%27b/",
    ])
    func `what is no address is refused`(_ text: String) {
        #expect(throws: ServerAddress.Invalid.self) { try ServerAddress(text) }
    }

    @Test func `a password is taken where nobody else reads it, and no error repeats it`() throws {
        let address = try ServerAddress("mumble://ann:p%40ss@host/Ops", mayHavePassword: true)
        #expect(address.password == "p@ss" && address.user == "ann")
        for text in ["mumble://ann:secret@host/", "mumble://:secret@host/", "secret://ann:secret@host/"] {
            let error = #expect(throws: ServerAddress.Invalid.self) { try ServerAddress(text) }
            #expect(error?.description.contains("secret") == false)
        }
    }

    @Test func `the first certificate of a server is kept, and no other`() {
        var servers = KnownServers("a:1 aa\n\nnonsense\n")
        #expect(servers.fingerprint(of: "a:1") == "aa" && servers.fingerprint(of: "b:1") == nil)
        servers.add("b:1", "bb")
        servers.add("b:1", "cc")
        #expect(KnownServers(servers.text).fingerprint(of: "b:1") == "bb")
        #expect(KnownServers(servers.text).fingerprint(of: "a:1") == "aa")
    }

    @Test func `the line that accepts another certificate counts, and the one before does not`() {
        let servers = KnownServers("a:1 aa\nb:1 bb\n" + "a:1 cc\n")
        #expect(servers.fingerprint(of: "a:1") == "cc" && servers.fingerprint(of: "b:1") == "bb")
    }

    @Test func `a server whose name is written in another case is no new one`() {
        var servers = KnownServers("Host:1 aa\n")
        #expect(servers.fingerprint(of: "host:1") == "aa" && servers.fingerprint(of: "HOST:1") == "aa")
        servers.add("hOST:1", "bb")
        #expect(servers.text == "Host:1 aa\n")
    }

    @Test func `messages come out however they are cut`() throws {
        let messages: [ControlMessage] = [
            .ping(.with { $0.timestamp = 5 }), .tunnel([1, 2, 3]), .other(99),
            .userState(.with { $0.name = "ann" }),
        ]
        let bytes = messages.flatMap(\.encoded)
        for size in 1...bytes.count {
            var splitter = MessageSplitter()
            var read: [ControlMessage] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                read += try splitter.split(bytes[start..<min(start + size, bytes.count)])
            }
            #expect(read == messages)
        }
    }

    @Test func `a message is refused by its length, before it has come`() {
        var splitter = MessageSplitter()
        #expect(throws: MessageSplitter.Failure.tooLong(type: 9, length: 8_388_609)) {
            try splitter.split([0, 9, 0, 0x80, 0, 1])
        }
        splitter = MessageSplitter()
        #expect(throws: MessageSplitter.Failure.damaged(type: 9)) {
            try splitter.split([0, 9, 0, 0, 0, 1, 0x1a])
        }
    }
}
