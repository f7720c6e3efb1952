import EventLoop
import PTTMessages

extension Scenario {
    static let sleepingButtons = [
        Scenario(2, "a button that slept transmits at its next press, with nobody's help") { lab in
            for button in Button.allCases { try await lab.paired(button) }
            let application = try await lab.application()
            for button in Button.allCases {
                try await Hand.tell("sleep", button)
                try await until("\(button.name) is away") {
                    lab.accessories.device(button.address)?.link == .away
                }
                try await Hand.tell("wake", button)
                try await lab.ready(button)
                try await lab.talk(button, to: application)
            }
            application.close()
        },
        Scenario(2, "a button that went out of reach transmits when it is back") { lab in
            try await lab.paired(.ffe0)
            let application = try await lab.application()
            try await Hand.tell("vanish", .ffe0, "0.5")
            try await until("it is away") { lab.accessories.device(Button.ffe0.address)?.link == .away }
            try await Hand.tell("return", .ffe0)
            try await lab.ready(.ffe0)
            try await lab.talk(.ffe0, to: application)
            application.close()
        },
    ]
}
