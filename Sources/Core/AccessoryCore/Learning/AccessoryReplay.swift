package import PTTMessages

/// Lets the machine of an accessory handle what one sent, with a core that grants everything.
package struct AccessoryReplay {
    package typealias Outcome = AccessoryExample.Step.Outcome

    private var accessory: Accessory
    private var timer: MonotonicTime?
    private var transmissions = 0
    private var current: (TransmissionID, ButtonRole)?

    /// Connects a second before `start`, so that it is ready then.
    package init(_ definition: AccessoryDefinition, from start: MonotonicTime) {
        let origin = Origin(kind: .bluetoothButton, identifier: "", name: "")
        accessory = Accessory(definition, origin: origin)
        let before = MonotonicTime(nanoseconds: start.nanoseconds - 1_000_000_000)
        switch definition.input {
        case .gatt(let inputs):
            _ = handle(.connected, at: before)
            _ = handle(.servicesResolved(found: Set(inputs.indices)), at: before)
            for index in inputs.indices { _ = handle(.notificationsEnabled(index), at: before) }
        case .serial: _ = handle(.portOpened, at: before)
        case .keys: break
        }
    }

    /// What it did at once, and before, since the last action.
    package mutating func handle(_ action: AccessoryExample.Step.Action, at time: MonotonicTime) -> [Outcome]
    {
        var outcomes: [Outcome] = []
        while let timer, timer <= time { outcomes += handle(.timerFired, at: timer) }
        switch action {
        case .notify(let value, let input): outcomes += handle(.valueNotified(value, input: input), at: time)
        case .receive(let bytes): outcomes += handle(.bytesReceived(bytes), at: time)
        case .key(let code, let isPressed):
            outcomes += handle(isPressed ? .keyPressed(code) : .keyReleased(code), at: time)
        case .lose: outcomes += handle(loss, at: time)
        }
        return outcomes
    }

    private var loss: Accessory.Event {
        switch accessory.definition.input {
        case .gatt: .disconnected(.linkLost)
        case .serial: .portClosed(.linkLost)
        case .keys: .deviceRemoved
        }
    }

    private mutating func handle(_ event: Accessory.Event, at time: MonotonicTime) -> [Outcome] {
        if event == .timerFired { timer = nil }
        var outcomes: [Outcome] = []
        for effect in accessory.handle(event, at: time) {
            switch effect {
            case .begin(let attempt, let role):
                transmissions += 1
                let transmission = TransmissionID(rawValue: transmissions)
                current = (transmission, role)
                outcomes.append(.begin(role))
                outcomes += handle(.began(transmission, attempt), at: time)
            case .end(let cause, _):
                guard let (transmission, role) = current else { continue }
                current = nil
                outcomes.append(.end(role))
                outcomes += handle(.transmissionEnded(transmission, cause), at: time)
            case .report(let role, let isPressed): outcomes.append(isPressed ? .press(role) : .release(role))
            case .setTimer(let time): timer = time
            case .cancelTimer: timer = nil
            // A recording has no read of its own: the newest value was a notification.
            case .fence(let input): outcomes += handle(.fenceAnswered(input, .refused), at: time)
            case .letGo, .subscribe, .disconnect, .publish: break
            }
        }
        return outcomes
    }
}

extension AccessoryInput {
    /// What a frame is for this input; nil if it comes from elsewhere.
    package func action(of frame: LearningFrame) -> AccessoryExample.Step.Action? {
        switch (self, frame.content) {
        case (.gatt(let inputs), .notified(let value, let attribute)):
            inputs.firstIndex { $0.attribute == attribute }.map { .notify(value, input: $0) }
        case (.serial(let input), .received(let bytes, let serviceClass)):
            input.serviceClass == serviceClass ? .receive(bytes) : nil
        case (.keys(let input), .key(let code, let isPressed)):
            input.meanings[code] == nil ? nil : .key(code, isPressed: isPressed)
        case (.gatt, _), (.serial, _), (.keys, _): nil
        }
    }
}
