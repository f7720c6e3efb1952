import AccessoryCore
import PTTMessages

// One line per event and per effect, in the format of the recordings. The first input and the talk button are
// not named.

extension Accessory.Event: CustomStringConvertible {
    public var description: String {
        switch self {
        case .gatt(.connected): "connected"
        case .gatt(.sharedLinkConnected): "sharedLinkConnected"
        case .gatt(.servicesResolved(let found)): "servicesResolved" + traced(found: found)
        case .gatt(.notificationsEnabled(let input)): "notificationsEnabled" + traced(input: input)
        case .gatt(.notificationsFailed(let input, let reason)):
            "notificationsFailed \(reason.traced)" + traced(input: input)
        case .gatt(.fenceAnswered(let input, .value(let value))):
            "fenceAnswered \(value.hexadecimal.traced)" + traced(input: input)
        case .gatt(.fenceAnswered(let input, .refused)): "fenceRefused" + traced(input: input)
        case .gatt(.fenceAnswered(let input, .notConnected)): "fenceNotConnected" + traced(input: input)
        case .gatt(.notificationsStopped(let input)): "notificationsStopped" + traced(input: input)
        case .gatt(.servicesGone): "servicesGone"
        case .gatt(.disconnected(let cause)): "disconnected \(cause)"
        case .gatt(.bluetoothLost), .stream(.bluetoothLost): "bluetoothLost"
        case .gatt(.valueNotified(let value, let input)):
            "valueNotified \(value.hexadecimal.traced)" + traced(input: input)
        case .gatt(.valueSeen(let value, let input)):
            "valueSeen \(value.hexadecimal.traced)" + traced(input: input)
        case .stream(.opened): "opened"
        case .stream(.closed(let cause)): "closed \(cause)"
        case .stream(.unavailable(let reason)): "unavailable \(reason.traced)"
        case .stream(.bytesReceived(let bytes)): "bytesReceived \(bytes.hexadecimal.traced)"
        case .stream(.advertised(let packet)): "advertised \(packet)"
        case .keys(.pressed(let code)): "keyPressed \(code)"
        case .keys(.released(let code)): "keyReleased \(code)"
        case .keys(.resynchronised(let code, let isPressed)):
            "keyResynchronised \(code) \(isPressed ? "pressed" : "released")"
        case .keys(.eventsLost): "eventsLost"
        case .keys(.plugChanged): "plugChanged"
        case .keys(.deviceRemoved): "deviceRemoved"
        case .began(let transmission, let attempt): "began \(transmission.rawValue) \(attempt.rawValue)"
        case .refused(let code, let attempt): "refused \(code) \(attempt.rawValue)"
        case .transmissionEnded(let transmission, let cause):
            "transmissionEnded \(transmission.rawValue) \(cause)"
        case .coreLost: "coreLost"
        case .permissionChanged(.given): "permissionGiven"
        case .permissionChanged(.withheld(let reason, let cause)):
            "permissionWithheld \(reason.traced) \(cause)"
        case .renamed(let name): "renamed \(name.traced)"
        case .batteryChanged(let percent): "batteryChanged \(percent)"
        case .adviceChanged(let text): "adviceChanged \((text ?? "").traced)"
        case .timerFired: "timerFired"
        }
    }
}

extension Accessory.Effect: CustomStringConvertible {
    public var description: String {
        switch self {
        case .begin(_, let role): "begin" + traced(role)
        case .end(let cause, let role): "end \(cause)" + traced(role)
        case .letGo(let role): "letGo" + traced(role)
        case .latch(let role): "latch" + traced(role)
        case .report(let role, let isPressed): "report \(role) \(isPressed ? "pressed" : "released")"
        case .subscribe(let input): "subscribe" + traced(input: input)
        case .fence(let input): "fence" + traced(input: input)
        case .disconnect: "disconnect"
        case .setTimer(let time): "setTimer \(time)"
        case .cancelTimer: "cancelTimer"
        case .publish(let event): "publish \(traced(event))"
        }
    }
}

private func traced(input: Int) -> String { input == 0 ? "" : " \(input)" }

private func traced(found: Set<Int>) -> String {
    switch found {
    case []: " without"
    case [0]: ""
    default: " " + found.sorted().map { "\($0)" }.joined(separator: " ")
    }
}

private func traced(_ role: ButtonRole?) -> String {
    guard let role, role != .talk else { return "" }
    return " \(role)"
}

private func traced(_ event: AccessoryEvent) -> String {
    let details: [String?] =
        switch event.kind {
        case .pressed, .released, .ignored, .batteryLow: [event.value?.traced, event.remark?.traced]
        case .unknown, .deviceAdded, .deviceChanged, .deviceRemoved, .coreConnected, .coreLost:
            [event.device?.link.rawValue, event.device?.remark?.traced]
        }
    return ([event.kind.rawValue + traced(event.role)] + details.compactMap(\.self)).joined(separator: " ")
}
