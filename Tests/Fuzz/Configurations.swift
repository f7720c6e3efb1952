// The path of each byte of a configuration file: toml++, JSON, values.
//
// c++ CTOML: Sources/System/CTOML/CTOML.cpp
// module JSON: Sources/System/JSON/*.swift
// module TOML: Sources/System/TOML/TOML.swift
// longest 65536
// seed microphone = "|x|"\n

import TOML

private struct Configuration: Codable {
    struct Rule: Codable {
        var application: String
        var days: [String]?
        var from: String?
    }

    var microphone: String?
    var timeLimit: Int?
    var gain: Double?
    var rules: [Rule]?
    var inner: [String: Bool]?
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    do throws(TOMLError) {
        _ = try TOML.decode(Configuration.self, from: text)
    } catch {
        precondition(!error.reason.isEmpty, "An error without a reason")
        if let place = error.place { precondition(place.line > 0 && place.column > 0) }
    }
    return 0
}
