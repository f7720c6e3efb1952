import PTTMessages
import Testing

@testable import pttctl

@Suite struct WordingTests {
    private let image = ImageSummary(imageID: "00ff00ff00ff00ff", byteCount: 1200)
    private var channel: Channel {
        Channel(
            channelID: ChannelID(randomBytes: (1, 2)),
            name: "Ops",
            owner: ApplicationID(rawValue: "org.example.Radio")
        )
    }

    @Test func `a status shows all of a channel`() {
        var channel = channel
        channel.image = image
        channel.application = Application(name: "Radio", processID: 42)
        channel.serviceStatus = .connecting
        channel.transmissionMode = .listenOnly
        channel.areAccessoryEventsEnabled = false
        channel.participant = Participant(name: "Ann", image: image)
        #expect(
            Wording.lines(Status(channel: channel, isAudioServerReady: true, timeLimit: 60))
                .joined(separator: "\n") == """
                    channel       Ops, \(channel.channelID)
                    image         00ff00ff00ff00ff (1200 bytes)
                    application   Radio (process 42, org.example.Radio)
                    participant   Ann, image 00ff00ff00ff00ff (1200 bytes)
                    mode          listen only
                    service       connecting: no transmission can begin until it is ready
                    buttons       are passed to the application
                    transmission  none
                    audio         inactive
                    time limit    60 s
                    """
        )
    }

    @Test func `without a channel a status shows where a press goes`() {
        func row(_ microphone: VirtualMicrophone) -> String? {
            let status = Status(isAudioServerReady: true, timeLimit: 60, virtualMicrophone: microphone)
            return Wording.lines(status).first { $0.hasPrefix("channel") }
        }
        #expect(row(.off) == "channel       none: join one with `pttctl join`, or start an application")
        #expect(row(.idle)?.contains("refused until an application uses the Push-to-Talk Microphone") == true)
        #expect(
            row(.recorded(by: ["Chromium"]))
                == "channel       none: a press talks into the Push-to-Talk Microphone"
        )
    }

    @Test func `the status and an event show that a transmission goes on until the next press`() {
        let transmission = Transmission(
            transmissionID: TransmissionID(rawValue: 1),
            source: .handsfreeButton,
            origin: Origin(kind: .bluetoothButton, identifier: "A4:C1:38:00:00:01", name: "Left"),
            began: 1_000_000,
            latched: 1_200_000
        )
        let status = Status(transmission: transmission, isAudioServerReady: true, timeLimit: 60)
        let text = "Left (handsfreeButton), until its next press"
        #expect(Wording.lines(status).contains("transmission  \(text)"))
        #expect(
            Wording.line(.transmissionLatched(transmission: transmission)) == "transmission stays on: \(text)"
        )
    }

    @Test func `a status shows that the channel could not be saved, and why`() {
        let failure = "create /home/ann/.local/state/pushtotalk/channel.json.new: No space left on device"
        let status = Status(isAudioServerReady: true, timeLimit: 60, saveFailure: failure)
        let line = Wording.lines(status).first { $0.hasPrefix("saved") }
        #expect(line == "saved         no, a reboot will restore an earlier channel: \(failure)")
    }

    @Test func `a status shows whether the application runs, starts, or does not`() {
        var channel = channel
        #expect(application(channel) == "org.example.Radio is not running")
        channel.isApplicationStarting = true
        #expect(application(channel) == "org.example.Radio is starting")
        channel = Channel(channelID: channel.channelID, name: "Ops")
        #expect(application(channel) == "no application")
    }

    @Test func `a refusal is shown with its reason and its code`() {
        let origin = Origin(kind: .wiredHeadset, identifier: "usb-1", name: "Headset")
        let refusal = Refusal(.transmissionNotAllowed, "Ann talks")
        #expect(
            Wording.line(CoreEvent.transmissionRefused(origin: origin, refusal: refusal))
                == "transmission refused: Headset, Ann talks (transmissionNotAllowed)"
        )
    }

    @Test func `the outcome of a push is shown with its reason`() {
        let push = PushID(rawValue: 3)
        #expect(
            Wording.line(.pushFinished(pushID: push, outcome: .answered, explanation: nil))
                == "push 3 answered by the application"
        )
        #expect(
            Wording.line(
                .pushFinished(pushID: push, outcome: .undeliverable, explanation: "it did not start")
            )
                == "push 3 not delivered: it did not start"
        )
    }

    @Test func `an event of an accessory names the button unless it is the talk button`() {
        let device = AccessoryDevice(
            kind: .bluetoothButton,
            identifier: "A4:C1:38:00:00:01",
            name: "AINA",
            profile: "AINA",
            mode: .hold,
            link: .ready,
            isPressed: true,
            remark: nil
        )
        func line(_ role: ButtonRole?) -> String {
            Wording.line(AccessoryEvent(.pressed, device: device, role: role, value: "02"))
        }
        #expect(line(.emergency) == "AINA, emergency button, pressed: 02")
        #expect(line(.talk) == "AINA pressed: 02")
        #expect(line(nil) == "AINA pressed: 02")
    }

    private func application(_ channel: Channel) -> String? {
        let status = Wording.lines(Status(channel: channel, timeLimit: 60))
        let row = status.first { $0.hasPrefix("application") }
        return row.map { String($0.dropFirst(14)) }
    }

    @Test func `levels are bars with the level beside them, and nothing where nothing passes`() {
        let silence = ChannelInterface.LevelReport(microphone: nil, speaker: nil)
        #expect(Wording.line(silence) == "")
        let speech = ChannelInterface.LevelReport(microphone: -18.2, speaker: nil)
        #expect(Wording.line(speech) == "microphone ▮▮▮▮▮▮▮▮▮▮▮▮▮▮▯▯▯▯▯▯ -18 dB")
        let extremes = ChannelInterface.LevelReport(microphone: -96, speaker: 0)
        #expect(
            Wording.line(extremes)
                == "microphone ▯▯▯▯▯▯▯▯▯▯▯▯▯▯▯▯▯▯▯▯ -96 dB   speaker ▮▮▮▮▮▮▮▮▮▮▮▮▮▮▮▮▮▮▮▮ 0 dB"
        )
    }

    @Test(
        arguments: [
            (AddressType.public, "public"), (.randomStatic, "random static"),
            (.privateResolvable, "private: it changes, and the device must be bonded to be recognised again"),
            (.privateNonResolvable, "private: it changes, and the device cannot be recognised again"),
        ]
    )
    func `a scan and an explanation say what an address is`(type: AddressType, text: String) {
        let device = AccessoryInterface.Discovery(
            address: "5F:00:00:00:00:01",
            name: "PTT",
            rssi: -60,
            profile: nil,
            isPaired: false,
            addressType: type
        )
        #expect(Wording.line(device) == "PTT  5F:00:00:00:00:01, \(text), -60 dBm")
        let explanation = AccessoryInterface.ExplainReply(
            name: nil,
            address: "5F:00:00:00:00:01",
            addressType: type,
            accessory: nil,
            files: []
        )
        let lines = Wording.lines(explanation, includesOthers: false)
        #expect(lines.first?.hasSuffix("5F:00:00:00:00:01, \(text)") == true)
    }
}
