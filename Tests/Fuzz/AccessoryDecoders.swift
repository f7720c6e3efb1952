// The path of each byte that an accessory sends: the decoders of all files, and the machine that their
// signals drive.
//
// c++ CTOML: Sources/System/CTOML/CTOML.cpp
// module JSON: Sources/System/JSON/*.swift
// module TOML: Sources/System/TOML/TOML.swift
// module PTTMessages: Sources/Core/PTTMessages/*.swift
// module AccessoryCore: Sources/Core/AccessoryCore/*.swift Sources/Core/AccessoryCore/Definition/*.swift
// module AccessoryFiles: Sources/Client/AccessoryFiles/AccessoryFile+TOML.swift
// longest 8192

import AccessoryCore
import AccessoryFiles
import Foundation

/// Each `Sources/Accessories/*.toml`.
private let definitions: [AccessoryDefinition] = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../Sources/Accessories"
    )
    guard
        let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    else {
        preconditionFailure("there is no Sources/Accessories")
    }
    return files.filter { $0.pathExtension == "toml" }.map { file in
        guard let text = try? String(contentsOf: file, encoding: .utf8),
            let definition = try? AccessoryDefinition(toml: text, identifier: "fuzz")
        else { preconditionFailure("\(file.path) cannot be used") }
        return definition
    }
}()

/// Swift marks the kind of an enumeration in the pointer to its contents, which LeakSanitizer then does not
/// find: it takes the definitions, which are never released, for lost.
@_cdecl("__lsan_default_suppressions")
public func suppressions() -> UnsafePointer<UInt8> {
    let text: StaticString = "leak:FuzzAccessoryDecoders11definitions"
    return text.utf8Start
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let value = Array(UnsafeBufferPointer(start: start, count: count))
    for definition in definitions {
        var run = ExampleRun(definition)
        switch definition.input {
        case .gatt(let inputs):
            for input in inputs.indices {
                let outcomes = run.perform(.notify(value, input: input), after: .seconds(1))
                let isZero = value.allSatisfy { $0 == 0 }
                precondition(
                    !isZero || outcomes.isEmpty,
                    "\(definition.name) takes nothing but zeros for a press"
                )
            }
        case .serial: _ = run.perform(.receive(value), after: .seconds(1))
        case .advertisements: _ = run.perform(.advertise(value), after: .seconds(1))
        case .keys:
            for byte in value.prefix(64) {
                _ = run.perform(.key(UInt16(byte), isPressed: byte & 1 == 0), after: .milliseconds(100))
            }
        }
        _ = run.perform(.lose, after: .seconds(1))
        precondition(run.transmission == nil, "\(definition.name) outlives a loss")
    }
    return 0
}
