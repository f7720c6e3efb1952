// The path of each byte that a button sends: decoders of all families, and the machine that their signals drive.
//
// module PTTMessages: Sources/Core/PTTMessages/*.swift
// module AccessoryCore: Sources/Core/AccessoryCore/*.swift Sources/Core/AccessoryCore/Profiles/*.swift Sources/Core/AccessoryCore/Definition/*.swift
// longest 8192

import AccessoryCore
import PTTMessages

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let value = Array(UnsafeBufferPointer(start: start, count: count))
    let origin = Origin(kind: .bluetoothButton, identifier: "A4:C1:38:00:00:01", name: "Button")
    for profile in AccessoryProfile.all {
        var accessory = Accessory(profile.definition, origin: origin)
        let connected = MonotonicTime(nanoseconds: 0)
        let steps: [Accessory.Event] = [
            .connected, .servicesResolved(found: [0]), .notificationsEnabled(0), .fenceAnswered(0, .refused),
        ]
        for event in steps { _ = accessory.handle(event, at: connected) }
        let later = connected + .seconds(1)
        var hasBegun = false
        for effect in accessory.handle(.valueNotified(value, input: 0), at: later) {
            guard case .begin = effect else { continue }
            hasBegun = true
            precondition(value.contains { $0 != 0 }, "\(profile.name) takes nothing but zeros for a press")
        }
        let losses = accessory.handle(.disconnected(.linkLost), at: later)
        precondition(!hasBegun || losses.contains(.end(.linkLost, nil)), "\(profile.name) outlives a loss")
    }
    return 0
}
