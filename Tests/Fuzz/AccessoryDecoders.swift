// The path of each byte that a button sends: decoders of all profiles, and the link that their readings drive.
//
// module PTTMessages: Sources/Core/PTTMessages/*.swift
// module AccessoryCore: Sources/Core/AccessoryCore/*.swift Sources/Core/AccessoryCore/Profiles/*.swift
// longest 8192

import AccessoryCore

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let value = Array(UnsafeBufferPointer(start: start, count: count))
    for (profile, reading) in AccessoryProfile.readings(of: value) {
        guard case .level(isPressed: true, note: _) = reading else { continue }
        precondition(value.contains { $0 != 0 }, "\(profile.name) decodes nothing but zeros as a press")
    }
    return 0
}
