import CommandLineTool
import EventLoop
import Glibc
import Invocation
import PTTMessages
import ServiceClient

/// Scans for devices until one is chosen: the wanted one, or the one that a person types the number of.
@EventLoop
final class DeviceChoice {
    private let wanted: String?
    private let stop: StopSignal
    private let isInteractive: Bool
    private var found: [AccessoryInterface.Discovery] = []
    private var choice: AccessoryInterface.Discovery?
    private var input: DescriptorSource?

    /// `wanted` is an address, an identity or a name; nil to choose from a list.
    init(wanted: String?) throws {
        self.wanted = wanted
        stop = try StopSignal()
        isInteractive = wanted == nil && isatty(STDIN_FILENO) == 1
    }

    /// Returns the device.
    func device(seconds: Int) async throws -> AccessoryInterface.Discovery {
        let scan = try ServiceConnection.accessory()
        scan.subscribe(
            AccessoryInterface.scan,
            AccessoryInterface.ScanRequest(seconds: seconds),
            timeLimit: .seconds(seconds + 30),
            { [self] reply in if let device = reply.device { show(device) } },
            ended: { [self] in finish($0) }
        )
        Terminal.printError(prompt)
        if isInteractive {
            input = try DescriptorSource(STDIN_FILENO, .readable) { [self] _ in readChoice() }
        }
        await stop.wait()
        input?.cancel()
        // Closing ends the scan: connecting is slow during a discovery.
        scan.close()
        if let failure = stop.failure { throw failure }
        guard let choice else { throw CommandError(reason) }
        return choice
    }

    private var prompt: String {
        if let wanted { return localized("press the button of \(wanted) now, so that it is found") }
        return isInteractive
            ? localized("press the button now, then type its number and press Enter")
            : localized("press the button now: the only accessory that is found will be paired")
    }

    private var reason: String {
        if let wanted {
            return localized("\(wanted) was not found: press the button during the scan, and keep it near")
        }
        return recognised.count > 1
            ? localized("several accessories were found: name one of them")
            : localized("no accessory was recognised: press the button during the scan, or name a device")
    }

    private var recognised: [AccessoryInterface.Discovery] { found.filter(\.isRecognised) }

    private func show(_ device: AccessoryInterface.Discovery) {
        if let wanted {
            let names = [device.address, device.address.lowercased(), device.name]
            if names.contains(wanted) { choose(device) }
            return
        }
        if let index = found.firstIndex(where: { $0.address == device.address }) {
            let isNew = !found[index].isRecognised && device.isRecognised || found[index].key != device.key
            found[index] = device
            if isNew { list(device, number: index + 1) }
        } else {
            found.append(device)
            list(device, number: found.count)
        }
    }

    private func list(_ device: AccessoryInterface.Discovery, number: Int) {
        Terminal.printError("\(number)  \(Wording.line(device))")
    }

    private func readChoice() {
        guard let line = readLine(), let number = Int(line) else {
            return stop.trigger(CommandError(localized("no device was chosen")))
        }
        guard found.indices.contains(number - 1) else {
            return Terminal.printError(localized("there is no device \(number) yet"))
        }
        choose(found[number - 1])
    }

    private func choose(_ device: AccessoryInterface.Discovery) {
        choice = device
        stop.trigger()
    }

    private func finish(_ error: ServiceError?) {
        if !isInteractive, wanted == nil, recognised.count == 1 { choice = recognised[0] }
        if !isInteractive || found.isEmpty || error != nil { stop.trigger(error) }
    }
}

extension AccessoryInterface.Discovery {
    /// True if it is probably an accessory.
    fileprivate var isRecognised: Bool { profile != nil || key != nil }
}
