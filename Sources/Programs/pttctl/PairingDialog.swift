import AccessoryCore
import AccessoryFiles
import CommandLineTool
import EventLoop
import Glibc
import Invocation
import PTTMessages
import ServiceClient

/// Pairs a device, shows each step, and enrols it after one press and release of it was observed.
@EventLoop
struct PairingDialog {
    let address: String
    let json: Bool
    /// The time limit of the press and the release.
    let seconds: Int

    /// Returns when presses of the device count. Asks for the key of a device that encrypts what it
    /// advertises.
    func enrol(_ enrolment: Enrolment) async throws {
        var enrolment = enrolment
        while true {
            do {
                return try await pair(enrolment)
            } catch ServiceError.failed(name: AccessoryInterface.bindKeyNeeded, let reason) {
                Terminal.printError(localized("\(address): \(reason)"))
                guard let key = Self.bindKey() else {
                    throw CommandError(
                        localized(
                            "a key is needed, which has 32 hexadecimal digits: the application of its maker shows it"
                        )
                    )
                }
                enrolment.bindKey = key
            }
        }
    }

    /// Reads a key without showing it. Not an option of the command: others could see it among the processes.
    private static func bindKey() -> [UInt8]? {
        let prompt = localized("its key, of 32 hexadecimal digits: ")
        let line =
            isatty(STDIN_FILENO) == 1 ? getpass(prompt).map { String(cString: $0) } : Terminal.readLine()
        return line.flatMap { Enrolment.bindKey(String($0.filter { $0 != " " })) }
    }

    private func pair(_ enrolment: Enrolment) async throws {
        let request = AccessoryInterface.PairAndTestRequest(
            address: address,
            seconds: seconds,
            accessory: enrolment.accessory,
            mode: enrolment.mode,
            bindKey: enrolment.bindKeyText
        )
        let stop = try StopSignal()
        let connection = try ServiceConnection.accessory()
        var isWritten = false
        var device: AccessoryDevice?
        connection.subscribe(
            AccessoryInterface.pairAndTest,
            request,
            { (reply: AccessoryInterface.PairAndTestReply) in
                if json { Terminal.print(reply) }
                if reply.step == .enrolled { device = reply.device }
                if reply.step == .tested {
                    do {
                        try EnrolledDeviceFile.set(tested(enrolment, reply))
                    } catch {
                        return stop.trigger(error)
                    }
                    isWritten = true
                }
                if !json, let text = text(reply) { Terminal.print(text) }
            },
            ended: { stop.trigger($0) }
        )
        await stop.wait()
        connection.close()
        if let failure = stop.failure { throw failure }
        guard isWritten else { throw CommandError(localized("interrupted: nothing was enrolled")) }
        // Without the last reply its state is that of before.
        let line = device.map { Wording.line($0) } ?? address
        if !json { Terminal.print(localized("enrolled  \(line)")) }
    }

    private func text(_ reply: AccessoryInterface.PairAndTestReply) -> String? {
        switch reply.step {
        case .unknown, .enrolled: nil
        case .connecting: localized("connecting \(address) …")
        case .waitingForPress:
            localized("now press the talk button, and release it; nothing is transmitted")
        case .waitingForRelease: localized("pressed; now release it")
        case .waitingForWear:
            localized("if it has earbuds, take one out and put it in again; press nothing for ten seconds")
        case .tested:
            switch reply.device?.mode {
            case .toggle: localized("each press begins a transmission, or ends it (toggle)")
            case .latch: localized("hold it to talk; after a tap it talks until the next press (latch)")
            case .hold, .unknown, nil: nil
            }
        }
    }

    private func tested(_ enrolment: Enrolment, _ reply: AccessoryInterface.PairAndTestReply) -> Enrolment {
        var enrolment = enrolment
        // A device may hide its address until it is bonded.
        if let identifier = reply.device?.identifier, identifier != address.uppercased() {
            let identity = DeviceIdentity(bluetoothAddress: identifier)
            if identity.bluetoothAddress != nil { enrolment.identity = identity }
        }
        enrolment.accessory = reply.accessory ?? enrolment.accessory
        enrolment.mode = reply.mode
        // The values before the first writing are those to write back.
        if enrolment.restorations.isEmpty {
            enrolment.restorations = (reply.restore ?? []).compactMap { Enrolment.Restoration($0) }
        }
        return enrolment
    }
}
