import Foundation
import JSON
import Testing

@testable import pttctl

@Suite struct PushPayloadTests {
    @Test func `a payload is sent as it was written`() throws {
        #expect(
            try PushPayload(argument: #"{ "activeSpeaker": "Ann" }"#).text == #"{ "activeSpeaker": "Ann" }"#
        )
    }

    @Test func `a payload with an at sign is read from a file`() throws {
        let path = NSTemporaryDirectory() + "/payload-\(UInt64.random(in: 0 ... .max)).json"
        try #"{"a":1}"#.write(toFile: path, atomically: true, encoding: .utf8)
        defer { unlink(path) }
        #expect(try PushPayload(argument: "@" + path).text == #"{"a":1}"#)
        #expect(throws: (any Error).self) { _ = try PushPayload(argument: "@/nowhere.json") }
    }

    @Test(arguments: [
        (#"{}"#, #"{"aps":{"ptt-push-type":"service-update"}}"#),
        (
            #"{"roster":[],"aps":{"badge":1}}"#,
            #"{"roster":[],"aps":{"badge":1,"ptt-push-type":"service-update"}}"#
        ),
    ])
    func `a service update is marked as in Apple's pushes`(_ argument: String, _ expected: String)
        throws
    {
        let marked = try PushPayload(argument: argument).markedAsServiceUpdate()
        #expect(try JSON(parsing: marked) == JSON(parsing: expected))
    }

    @Test(arguments: ["", "[1]", "{", "7"])
    func `only an object can be marked`(_ argument: String) {
        #expect(throws: (any Error).self) { _ = try PushPayload(argument: argument).markedAsServiceUpdate() }
    }
}
