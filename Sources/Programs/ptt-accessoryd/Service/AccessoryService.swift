import EventLoop
import JSON
import Logging
import PTTMessages
import Varlink

/// Serves `org.pushtotalk.Accessory`.
@EventLoop
final class AccessoryService {
    private let list: AccessoryList
    private let buttons: BluetoothButtons
    private let discovery: Discovery
    private let pairing: Pairing
    private let log: Logger
    private var subscribers: [VarlinkConnection.Identifier: VarlinkCall] = [:]
    private var scans: [VarlinkConnection.Identifier: Discovery.Observer] = [:]

    init(
        _ list: AccessoryList,
        _ buttons: BluetoothButtons,
        _ discovery: Discovery,
        _ pairing: Pairing,
        log: Logger
    ) {
        self.list = list
        self.buttons = buttons
        self.discovery = discovery
        self.pairing = pairing
        self.log = log
    }

    /// The interface to be served.
    var interface: VarlinkInterface {
        VarlinkInterface(AccessoryInterface.description) { [weak self] call in
            guard let self else { return call.fail(.unavailable("ptt-accessoryd is ending")) }
            do throws(VarlinkError) {
                try answer(call)
            } catch {
                call.fail(error)
            }
        }
    }

    /// Tells all subscribers.
    func publish(_ update: AccessoryInterface.Update) {
        for call in subscribers.values { call.reply(encoded(update), continues: true) }
    }

    private func answer(_ call: VarlinkCall) throws(VarlinkError) {
        switch call.method {
        case "GetDevices":
            _ = try call.decode(NoParameters.self)
            EventLoop.start { await self.tellDevices(call) }
        case "Subscribe":
            _ = try call.decode(NoParameters.self)
            subscribe(call)
        case "Scan":
            let seconds = try call.decode(AccessoryInterface.ScanRequest.self).seconds
            guard (1...120).contains(seconds) else { throw .invalidParameter("seconds") }
            guard call.wantsMore else { throw .expectedMore }
            EventLoop.start { await self.scan(.seconds(seconds), call) }
        case "Pair":
            let address = try address(of: call)
            EventLoop.start { await self.pair(address, call) }
        case "Forget":
            let address = try address(of: call)
            EventLoop.start { await self.forget(address, call) }
        // The server has checked the method against the description.
        default: call.fail(.methodNotFound("\(call.interface).\(call.method)"))
        }
    }

    // MARK: - Methods

    private func subscribe(_ call: VarlinkCall) {
        guard call.wantsMore else { return call.fail(.expectedMore) }
        let identifier = call.connection.identifier
        subscribers[identifier] = call
        call.connection.onClose { [weak self] in self?.subscribers[identifier] = nil }
        let first = AccessoryInterface.Update(
            sequence: list.sequence,
            time: .now,
            devices: list.devices,
            event: nil
        )
        call.reply(encoded(first), continues: true)
    }

    private func tellDevices(_ call: VarlinkCall) async {
        await buttons.settle()
        let (devices, isCoreConnected) = (list.devices, list.isCoreConnected)
        reply(call, AccessoryInterface.DevicesReply(devices: devices, isCoreConnected: isCoreConnected))
    }

    private func scan(_ limit: Duration, _ call: VarlinkCall) async {
        await buttons.settle()
        let identifier = call.connection.identifier
        do throws(BluetoothUnavailable) {
            scans[identifier] = try discovery.start(for: limit) { [weak self] found in
                self?.reply(call, AccessoryInterface.ScanReply(device: found), continues: true)
            } ended: { [weak self] in
                self?.scans[identifier] = nil
                self?.reply(call, AccessoryInterface.ScanReply(device: nil))
            }
        } catch {
            return call.fail(.unavailable(error.reason))
        }
        call.connection.onClose { [weak self] in
            if let observer = self?.scans.removeValue(forKey: identifier) { self?.discovery.stop(observer) }
        }
    }

    private func pair(_ address: String, _ call: VarlinkCall) async {
        do throws(Pairing.Failure) {
            reply(
                call,
                AccessoryInterface.PairReply(device: try await pairing.pair(address)),
                continues: false
            )
        } catch {
            log.notice("pairing \(address): \(error.reason)")
            call.fail(VarlinkError(error))
        }
    }

    private func forget(_ address: String, _ call: VarlinkCall) async {
        do throws(Pairing.Failure) {
            try await pairing.forget(address)
            call.reply()
        } catch {
            call.fail(VarlinkError(error))
        }
    }

    // MARK: - Parameters and answers

    private func address(of call: VarlinkCall) throws(VarlinkError) -> String {
        let address = try call.decode(AccessoryInterface.AddressRequest.self).address
        let groups = address.split(separator: ":", omittingEmptySubsequences: false)
        let isAddress =
            groups.count == 6 && groups.allSatisfy { $0.utf8.count == 2 && UInt8($0, radix: 16) != nil }
        guard isAddress else { throw .invalidParameter("address") }
        return address
    }

    private func reply(_ call: VarlinkCall, _ value: some Encodable, continues: Bool = false) {
        call.reply(encoded(value), continues: continues)
    }

    private func encoded(_ value: some Encodable) -> JSONObject {
        do throws(JSONEncodingError) {
            return try JSONObject(encoding: value)
        } catch {
            // Our own messages are objects of strings and small integers, all of which JSON has forms for.
            preconditionFailure("\(error)")
        }
    }

    private struct NoParameters: Decodable {}
}

extension VarlinkError {
    fileprivate static func unavailable(_ reason: String) -> VarlinkError {
        VarlinkError(AccessoryInterface.bluetoothUnavailable, ["reason": .string(reason)])
    }

    fileprivate init(_ failure: Pairing.Failure) {
        let name =
            switch failure {
            case .unavailable: AccessoryInterface.bluetoothUnavailable
            case .notFound: AccessoryInterface.deviceNotFound
            case .failed: AccessoryInterface.pairingFailed
            }
        self.init(name, ["reason": .string(failure.reason)])
    }
}
