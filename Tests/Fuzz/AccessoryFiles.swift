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
        precondition(again == definition, "a file that was written is read as another one")
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
