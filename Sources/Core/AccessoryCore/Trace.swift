import PTTMessages

// One line per event and per effect, in the format of the tests' recordings: lines of a daemon's log, each preceded by
// its time, are a recording.

extension ButtonLink.Event: CustomStringConvertible {
    package var description: String {
        switch self {
        case .connected: "connected"
        case .servicesResolved(let hasCharacteristic):
            hasCharacteristic ? "servicesResolved" : "servicesResolved without"
        case .notificationsEnabled: "notificationsEnabled"
        case .notificationsFailed(let reason): "notificationsFailed \(reason.traced)"
        case .notificationsStopped: "notificationsStopped"
        case .valueNotified(let value): "valueNotified \(hexadecimal(value).traced)"
        case .servicesGone: "servicesGone"
        case .disconnected(let cause): "disconnected \(cause)"
        case .bluetoothLost: "bluetoothLost"
        case .renamed(let name): "renamed \(name.traced)"
        case .timerFired: "timerFired"
        }
    }
}

extension ButtonLink.Effect: CustomStringConvertible {
    package var description: String {
        switch self {
        case .begin: "begin"
        case .end(let cause): "end \(cause)"
        case .letGo: "letGo"
        case .subscribe: "subscribe"
        case .setTimer(let time): "setTimer \(time)"
        case .cancelTimer: "cancelTimer"
        case .publish(let event): "publish \(traced(event))"
        }
    }
}

extension HeadsetKey.Event: CustomStringConvertible {
    package var description: String {
        switch self {
        case .keyPressed(let code): "keyPressed \(code)"
        case .keyReleased(let code): "keyReleased \(code)"
        case .keyResynchronised(let code, let isPressed):
            "keyResynchronised \(code) \(isPressed ? "pressed" : "released")"
        case .began(let transmissionID): "began \(transmissionID.rawValue)"
        case .refused(let code): "refused \(code)"
        case .transmissionEnded(let transmissionID, let cause):
            "transmissionEnded \(transmissionID.rawValue) \(cause)"
        case .coreLost: "coreLost"
        case .deviceRemoved: "deviceRemoved"
        case .timerFired: "timerFired"
        }
    }
}

extension HeadsetKey.Effect: CustomStringConvertible {
    package var description: String {
        switch self {
        case .begin: "begin"
        case .end(let cause): "end \(cause)"
        case .setTimer(let time): "setTimer \(time)"
        case .cancelTimer: "cancelTimer"
        case .publish(let event): "publish \(traced(event))"
        }
    }
}

private func traced(_ event: AccessoryEvent) -> String {
    let details: [String?] =
        switch event.kind {
        case .pressed, .released, .ignored: [event.value?.traced, event.remark?.traced]
        case .unknown, .deviceAdded, .deviceChanged, .deviceRemoved, .coreConnected, .coreLost:
            [event.device?.link.rawValue, event.device?.remark?.traced]
        }
    return ([event.kind.rawValue] + details.compactMap(\.self)).joined(separator: " ")
}
