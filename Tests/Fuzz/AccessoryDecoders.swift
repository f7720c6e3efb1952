// The way of every byte that a radio sends: decoders of all profiles, and the link that their readings drive.
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
        precondition(value.contains { $0 != 0 }, "\(profile.name) takes nothing but zeros for a press")
    }
    return 0
}
