import JSON

/// The calls of `org.varlink.certification`: the reply to each has the parameters of the next.
enum Certification {
    static let interface = "org.varlink.certification"

    enum Kind: Equatable {
        case call
        case more
        case oneway
    }

    struct Step {
        let method: String
        let kind: Kind
        /// Without `client_id`, and without members that are null.
        let parameters: JSONObject
        let answers: [JSONObject]
    }

    static let steps = [
        Step(method: "Test01", kind: .call, parameters: [:], answers: [["bool": true]]),
        Step(method: "Test02", kind: .call, parameters: ["bool": true], answers: [["int": 1]]),
        Step(method: "Test03", kind: .call, parameters: ["int": 1], answers: [["float": 1.0]]),
        Step(method: "Test04", kind: .call, parameters: ["float": 1.0], answers: [["string": "ping"]]),
        Step(method: "Test05", kind: .call, parameters: ["string": "ping"], answers: [four]),
        Step(method: "Test06", kind: .call, parameters: four, answers: [["struct": .object(four)]]),
        Step(method: "Test07", kind: .call, parameters: ["struct": .object(four)], answers: [["map": map]]),
        Step(method: "Test08", kind: .call, parameters: ["map": map], answers: [["set": set]]),
        Step(method: "Test09", kind: .call, parameters: ["set": set], answers: [["mytype": .object(myType)]]),
        Step(
            method: "Test10",
            kind: .more,
            parameters: ["mytype": .object(myType)],
            answers: replies.map { ["string": $0] }
        ),
        Step(
            method: "Test11",
            kind: .oneway,
            parameters: ["last_more_replies": .array(replies)],
            answers: []
        ),
        Step(method: "End", kind: .call, parameters: [:], answers: [["all_ok": true]]),
    ]

    /// Left out and null are the same.
    static func withoutNulls(_ object: JSONObject) -> JSONObject {
        var result = object
        for member in object.members {
            if member.value == .null { result[member.key] = nil }
            if let inner = member.value.object { result[member.key] = .object(withoutNulls(inner)) }
        }
        return result
    }

    private static let four: JSONObject = [
        "bool": false, "int": 2, "float": .double(.pi), "string": "a lot of string",
    ]
    private static let map: JSON = ["foo": "Foo", "bar": "Bar"]
    private static let set: JSON = ["one": [:], "two": [:], "three": [:]]
    private static let replies = (1...10).map { JSON.string("Reply number \($0)") }
    private static let myType: JSONObject = [
        "object": ["method": "org.varlink.certification.Test09", "parameters": ["map": map]],
        "enum": "two",
        "struct": ["first": 1, "second": "2"],
        "array": ["one", "two", "three"],
        "dictionary": map,
        "stringset": set,
        "interface": [
            "foo": [nil, ["foo": "foo", "bar": "bar"], nil, ["one": "foo", "two": "bar"]],
            "anon": ["foo": true, "bar": false],
        ],
    ]
}
