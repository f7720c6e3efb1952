import Testing

@testable import JSON

@Suite struct JSONCodableTests {
    private struct Device: Codable, Equatable {
        enum Kind: String, Codable { case button, headset }
        var name: String
        var kind: Kind
        var level: Double
        var battery: UInt8?
        var keys: [Int]
        var extra: [String: Bool]
        var parent: Parent?

        struct Parent: Codable, Equatable {
            var path: String
        }
    }

    private enum Event: Codable, Equatable {
        case pressed(button: Int)
        case released
    }

    private struct Empty: Codable {}

    private let device = Device(
        name: "AINA",
        kind: .button,
        level: 0.5,
        battery: nil,
        keys: [1, 2],
        extra: ["a": true],
        parent: nil
    )
    private let text = #"{"name":"AINA","kind":"button","level":0.5,"keys":[1,2],"extra":{"a":true}}"#

    @Test func `a structure is encoded in the order of its members, without those that are nil`() {
        #expect(JSON.encoding(device).text == text)
    }

    @Test func `an object decodes to a structure and encodes back`() throws {
        #expect(try JSON(parsing: text).decode(Device.self) == device)
        var whole = device
        whole.battery = 7
        whole.parent = Device.Parent(path: "/a")
        #expect(try JSON.encoding(whole).decode() == whole)
        for event in [Event.pressed(button: 3), .released] {
            #expect(try JSON.encoding(event).decode() == event)
        }
        #expect(JSON.encoding([Int?](arrayLiteral: 1, nil)) == [1, nil])
        #expect(try JSON(parsing: "[1,null]").decode([Int?].self) == [1, nil])
        #expect(JSON.encoding(Empty()).text == "{}")
    }

    @Test func `null and a missing member are the same for an optional`() throws {
        var message = JSONObject.encoding(device)
        message["battery"] = .some(.null)
        message["parent"] = .some(.null)
        #expect(try message.decode(Device.self) == device)
    }

    @Test(
        arguments: [
            (#"{"name":1}"#, "name", "should be a string but is an integer"),
            (#"{"name":"x"}"#, "kind", "is missing"),
            (#"{"name":"x","kind":null}"#, "kind", "should be a string but is null"),
            (
                #"{"name":"x","kind":"button","level":1,"battery":256}"#, "battery",
                "is not valid: 256 is not between 0 and 255"
            ),
            (
                #"{"name":"x","kind":"button","level":1,"keys":[1,2.5]}"#, "keys[1]",
                "should be an integer but is a number"
            ),
            (
                #"{"name":"x","kind":"button","level":1,"keys":[],"extra":{"b":[]}}"#, "extra.b",
                "should be a boolean but is an array"
            ),
            (
                #"{"name":"x","kind":"button","level":1,"keys":[],"extra":{},"parent":{}}"#, "parent.path",
                "is missing"
            ),
            (
                #"{"name":"x","kind":"button","level":1,"keys":[],"extra":{},"parent":{"path":"","y":1}}"#,
                "parent.y",
                "is not known"
            ),
            (#"{"name":"x","kind":"button","level":1,"keys":[],"extra":{},"z":1}"#, "z", "is not known"),
            ("[]", "", "should be an object but is an array"),
        ] as [(String, String, String)]
    )
    func `an error names the member`(text: String, path: String, problem: String) throws {
        let json = try JSON(parsing: text)
        let error = #expect(throws: JSONDecodingError.self) { try json.decode(Device.self) }
        #expect(error?.path == path)
        #expect(error?.problem == problem)
    }

    @Test func `a value that an enumeration does not have is named`() throws {
        let json = try JSON(parsing: #"{"name":"x","kind":"knob","level":1,"keys":[],"extra":{}}"#)
        let error = #expect(throws: JSONDecodingError.self) { try json.decode(Device.self) }
        #expect(error?.path == "kind")
    }

    @Test func `unknown keys are refused or ignored as requested`() throws {
        let json: JSON = ["path": "/a", "new": 1]
        #expect(throws: JSONDecodingError(steps: ["new"], problem: "is not known")) {
            try json.decode(Device.Parent.self)
        }
        #expect(try json.decode(Device.Parent.self, unknownKeys: .ignored) == Device.Parent(path: "/a"))
        #expect(throws: JSONDecodingError(steps: ["new"], problem: "is not known")) {
            try (["new": 1] as JSON).decode(Empty.self)
        }
        #expect(throws: JSONDecodingError(steps: ["pressed", "x"], problem: "is not known")) {
            try (["pressed": ["button": 1, "x": 1]] as JSON).decode(Event.self)
        }
    }

    @Test func `a number that JSON cannot represent stops the program`() async {
        await #expect(processExitsWith: .failure) { _ = JSONText.encoding([Double.nan]) }
        await #expect(processExitsWith: .failure) { _ = JSONText.encoding(["x": UInt64.max]) }
    }

    @Test func `nested containers of hand-written types are encoded in their places`() throws {
        let value = HandWritten(left: 1, right: [2, 3])
        let json = JSON.encoding(value)
        #expect(json == ["outer": ["left": 1], "list": [[2, 3], 9]])
        #expect(try json.decode(HandWritten.self) == value)
    }

    @Test func `a value that opens its object twice is encoded as one object`() {
        struct Numbered: Encodable {
            func encode(to encoder: any Encoder) throws {
                try Device.Parent(path: "/a").encode(to: encoder)
                var members = encoder.container(keyedBy: HandWritten.Inner.self)
                try members.encode(3, forKey: .left)
            }
        }
        #expect(JSON.encoding(Numbered()) == ["path": "/a", "left": 3])
    }

    @Test func `our own text is encoded whatever marks it has`() {
        let text = "a" + String(repeating: "\u{301}", count: 40)
        #expect(throws: JSONSyntaxError.self) { try JSON(parsing: "\"\(text)\"") }
        #expect(JSON.encoding([text]) == [.string(text)])
    }

    @Test func `objects are equal whatever the order of members`() {
        #expect(["a": 1, "b": 2] as JSON == ["b": 2, "a": 1])
        #expect(["a": 1, "b": 2] as JSON != ["b": 2, "c": 1])
        #expect(["a": 1] as JSON != ["a": 1, "b": 2])
    }
}

private struct HandWritten: Codable, Equatable {
    var left: Int
    var right: [Int]

    enum Key: String, CodingKey { case outer, list }
    enum Inner: String, CodingKey { case left }

    init(left: Int, right: [Int]) {
        self.left = left
        self.right = right
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        var outer = container.nestedContainer(keyedBy: Inner.self, forKey: .outer)
        try outer.encode(left, forKey: .left)
        var list = container.nestedUnkeyedContainer(forKey: .list)
        try list.encode(right)
        try list.encode(9)
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        left = try container.nestedContainer(keyedBy: Inner.self, forKey: .outer).decode(
            Int.self,
            forKey: .left
        )
        var list = try container.nestedUnkeyedContainer(forKey: .list)
        right = try list.decode([Int].self)
        #expect(try list.decode(Int.self) == 9 && list.isAtEnd)
    }
}
