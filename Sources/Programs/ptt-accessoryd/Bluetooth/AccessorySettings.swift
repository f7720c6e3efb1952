import AccessoryCore
import DBus
import EventLoop
import Logging

/// Writes to a Bluetooth button: its settings after each connection, and its lamp. Also reads a battery that
/// BlueZ does not know.
///
/// Nothing waits for it: a press or a release is never delayed. The first failure is logged.
@EventLoop
final class AccessorySettings {
    private static let callTimeout = Duration.seconds(5)

    private let device: ObjectPath
    private let definition: AccessoryDefinition
    private let name: String
    private let mirror: BlueZMirror
    private let log: Logger
    private var isFailureLogged = false
    /// The lamp: whether a write is under way, what was written last, and what is wanted.
    private var isLampBusy = false
    private var shown: Bool?
    private var isTransmitting = false

    /// The bits that `set-bits` writes set, as they were before the first of them.
    private(set) var restorations: [Enrolment.Restoration]

    /// `restorations` are those of the device's enrolment: settings that were written before are not read
    /// again.
    init(
        _ device: ObjectPath,
        _ definition: AccessoryDefinition,
        name: String,
        restorations: [Enrolment.Restoration],
        mirror: BlueZMirror,
        log: Logger
    ) {
        self.device = device
        self.definition = definition
        self.name = name
        self.restorations = restorations
        self.mirror = mirror
        self.log = log
    }

    /// The services of a new link are resolved: writes all settings, in their order.
    func connected() {
        shown = nil
        guard !definition.connection.writes.isEmpty else { return updateLamp() }
        EventLoop.start { [self] in
            await writeSettings()
            updateLamp()
        }
    }

    func writeSettings() async {
        for write in definition.connection.writes { await apply(write) }
    }

    /// Shows whether the microphone is open.
    func show(isTransmitting: Bool) {
        self.isTransmitting = isTransmitting
        updateLamp()
    }

    /// The charge in percent; nil if the device has no such characteristic, or does not answer.
    func battery() async -> Int? {
        guard let attribute = definition.battery else { return nil }
        return await read(attribute)?.first.map { min(Int($0), 100) }
    }

    /// Writes the settings back, and turns the lamp off. Returns true if that was possible.
    func restore() async -> Bool {
        var isDone = true
        if let led = definition.led { isDone = await write(led.idle, to: led.attribute) && isDone }
        for restoration in restorations {
            guard let present = await read(restoration.attribute) else {
                isDone = false
                continue
            }
            let mask = mask(for: restoration.attribute)
            let value = present.indices.map {
                present[$0] & ~mask.byte($0) | restoration.bits.byte($0) & mask.byte($0)
            }
            if value != present { isDone = await write(value, to: restoration.attribute) && isDone }
        }
        return isDone
    }

    // MARK: - Settings

    private func apply(_ write: ConnectionPolicy.Write) async {
        switch write.change {
        case .value(let value):
            _ = await self.write(value, to: write.attribute)
        case .setBits(let bits):
            guard let present = await read(write.attribute) else { return }
            remember(present, bits, of: write.attribute)
            let value = (0..<max(present.count, bits.count)).map { present.byte($0) | bits.byte($0) }
            if value != present { _ = await self.write(value, to: write.attribute) }
        }
    }

    private func remember(_ present: [UInt8], _ bits: [UInt8], of attribute: GattAttribute) {
        guard !restorations.contains(where: { $0.attribute == attribute }) else { return }
        let earlier = bits.indices.map { present.byte($0) & bits[$0] }
        restorations.append(Enrolment.Restoration(attribute, bits: earlier))
    }

    /// The bits that are set in a characteristic.
    private func mask(for attribute: GattAttribute) -> [UInt8] {
        for write in definition.connection.writes where write.attribute == attribute {
            if case .setBits(let bits) = write.change { return bits }
        }
        return []
    }

    // MARK: - The lamp

    private func updateLamp() {
        guard let led = definition.led, !isLampBusy, shown != isTransmitting else { return }
        guard mirror.objects.characteristic(of: device, matching: led.attribute) != nil else { return }
        let wanted = isTransmitting
        isLampBusy = true
        // Counts as shown even if it fails: the next change is the next attempt.
        shown = wanted
        EventLoop.start { [self] in
            _ = await write(wanted ? led.transmitting : led.idle, to: led.attribute)
            isLampBusy = false
            updateLamp()
        }
    }

    // MARK: - Calls

    private func write(_ value: [UInt8], to attribute: GattAttribute) async -> Bool {
        await call("WriteValue", attribute, [.bytes(value), .properties([:])]) != nil
    }

    private func read(_ attribute: GattAttribute) async -> [UInt8]? {
        await call("ReadValue", attribute, [.properties([:])])?.first?.asBytes
    }

    private func call(_ member: String, _ attribute: GattAttribute, _ arguments: [BusValue]) async
        -> [BusValue]?
    {
        guard let connection = mirror.connection,
            let path = mirror.objects.characteristic(of: device, matching: attribute)
        else { return nil }
        let call = BlueZ.call(member, of: BlueZ.characteristic, on: path, arguments)
        do throws(BusError) {
            return try await connection.call(call, timeout: Self.callTimeout)
        } catch {
            // A link that is lost meanwhile is no failure of the settings.
            let isConnected = mirror.objects.devices[device]?.isConnected ?? false
            if isConnected, !error.isNotConnected, !isFailureLogged {
                isFailureLogged = true
                log.warning("\(name): its settings or its lamp cannot be written: \(error)")
            }
            return nil
        }
    }
}

extension [UInt8] {
    /// Zero beyond the end.
    fileprivate func byte(_ index: Int) -> UInt8 { index < count ? self[index] : 0 }
}
