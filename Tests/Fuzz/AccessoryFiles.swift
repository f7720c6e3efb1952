// The path of each byte of an accessory file: toml++, JSON, the checks of the file, the machine that replays
// its examples.
//
// c++ CTOML: Sources/System/CTOML/CTOML.cpp
// module JSON: Sources/System/JSON/*.swift
// module TOML: Sources/System/TOML/TOML.swift
// module PTTMessages: Sources/Core/PTTMessages/*.swift
// module AccessoryCore: Sources/Core/AccessoryCore/*.swift Sources/Core/AccessoryCore/Definition/*.swift
// module AccessoryFiles: Sources/Client/AccessoryFiles/AccessoryFile+TOML.swift
// longest 65536
// seed name = "|x|"\n

import AccessoryCore
import AccessoryFiles
import TOML

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    do throws(TOMLError) {
        let definition = try AccessoryDefinition(toml: text, identifier: "fuzz")
        let again = try? AccessoryDefinition(toml: definition.fileText, identifier: "fuzz")
        precondition(again?.name == definition.name, "another name is read than was written")
        let (match, read) = (definition.match, again?.match)
        precondition(
            read?.services == match.services && read?.names == match.names
                && read?.addresses == match.addresses && read?.products == match.products
                && read?.transports == match.transports,
            "another match is read than was written"
        )
        precondition(again?.input == definition.input, "another input is read than was written")
        precondition(again?.gesture == definition.gesture, "another gesture is read than was written")
        precondition(again?.examples == definition.examples, "other examples are read than were written")
        _ = definition.failedExamples()
        for role in definition.roles { _ = definition.frames(pressing: role) }
    } catch {
        precondition(!error.reason.isEmpty, "an error without a reason")
        precondition(
            error.reason.unicodeScalars.allSatisfy { $0.value >= 0x20 },
            "a control character in a reason"
        )
    }
    return 0
}
