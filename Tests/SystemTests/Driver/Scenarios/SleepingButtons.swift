import EventLoop
import PTTMessages

extension Scenario {
    static let sleepingButtons = [
        Scenario(part: 2, "a button that slept transmits at its next press") { fixture in
            for button in Button.atTheStart { try await fixture.paired(button) }
            let application = try await fixture.application()
            for button in Button.atTheStart {
                try await ButtonSimulator.perform("sleep", on: button)
                try await until("\(button.name) is away") {
                    fixture.accessories.device(button.address)?.link == .away
                }
                try await ButtonSimulator.perform("wake", on: button)
                try await fixture.ready(button)
                try await fixture.talk(button, to: application)
            }
            application.close()
        },
        Scenario(part: 2, "a button that was out of range transmits when it is back") { fixture in
            try await fixture.paired(.ffe0)
            let application = try await fixture.application()
            try await ButtonSimulator.perform("vanish", on: .ffe0, with: "0.5")
            try await until("it is away") { fixture.accessories.device(Button.ffe0.address)?.link == .away }
            try await ButtonSimulator.perform("return", on: .ffe0)
            try await fixture.ready(.ffe0)
            try await fixture.talk(.ffe0, to: application)
            application.close()
        },
    ]
}
