import AccessoryCore
import EventLoop
import JSON
import Logging
import PTTMessages
import RFCOMM
import ServiceClient
import Varlink

/// Serves `org.pushtotalk.Accessory`.
extension Accessories {
    /// The interface to be served.
    var interface: VarlinkInterface {
        VarlinkInterface(AccessoryInterface.description, methods: Dictionary(uniqueKeysWithValues: handlers))
    }

    private var handlers: [(String, VarlinkInterface.Handler)] {
        [
            handler(AccessoryInterface.getDevices) { accessories, _, call in
                EventLoop.start { await accessories.getDevices(call) }
            },
            handler(AccessoryInterface.subscribe) { accessories, _, call throws(VarlinkError) in
                try accessories.subscribe(call)
            },
            handler(AccessoryInterface.scan) { accessories, request, call throws(VarlinkError) in
                guard AccessoryInterface.ScanRequest.limits.contains(request.seconds) else {
                    throw .invalidParameter("seconds")
                }
                guard call.wantsMore else { throw .expectedMore }
                EventLoop.start { await accessories.scan(for: .seconds(request.seconds), call) }
            },
            handler(AccessoryInterface.pair) { accessories, request, call throws(VarlinkError) in
                let address = try request.checkedAddress()
                EventLoop.start { await accessories.pair(address, call) }
            },
            handler(AccessoryInterface.explain) { accessories, request, call in
                EventLoop.start { await accessories.explain(request.identifier, call) }
            },
            handler(AccessoryInterface.pairAndTest) { accessories, request, call throws(VarlinkError) in
                guard request.address.isBluetoothAddress else { throw .invalidParameter("address") }
                guard AccessoryInterface.PairAndTestRequest.limits.contains(request.seconds) else {
                    throw .invalidParameter("seconds")
                }
                guard request.mode != .unknown else { throw .invalidParameter("mode") }
                guard request.bindKey.map({ Enrolment.bindKey($0) != nil }) ?? true else {
                    throw .invalidParameter("bindKey")
                }
                guard call.wantsMore else { throw .expectedMore }
                EventLoop.start { await accessories.pairAndTest(request, call) }
            },
            handler(AccessoryInterface.learn) { accessories, request, call throws(VarlinkError) in
                guard call.wantsMore else { throw .expectedMore }
                guard (1...512).contains(request.device.utf8.count) else { throw .invalidParameter("device") }
                EventLoop.start { await accessories.learning.listen(to: request.device, call) }
            },
            handler(AccessoryInterface.forget) { accessories, request, call throws(VarlinkError) in
                let address = try request.checkedAddress()
                EventLoop.start { await accessories.forget(address, call) }
            },
        ]
    }

    private func handler<Request, Reply>(
        _ method: InterfaceMethod<Request, Reply>,
        _ body: @escaping @EventLoop (Accessories, Request, VarlinkCall) throws(VarlinkError) -> Void
    ) -> (String, VarlinkInterface.Handler) {
        (
            method.name,
            { [weak self] call throws(VarlinkError) in
                guard let self else { throw VarlinkError(.unavailable("ptt-accessoryd is ending")) }
                try body(self, try call.decode(), call)
            }
        )
    }

    func publish(_ update: AccessoryInterface.Update) {
        for call in subscribers.values { call.reply(.encoding(update), continues: true) }
    }

    // MARK: - Methods

    private func subscribe(_ call: VarlinkCall) throws(VarlinkError) {
        guard call.wantsMore else { throw .expectedMore }
        let identifier = call.connection.identifier
        subscribers[identifier] = call
        call.connection.onClose { [weak self] in self?.subscribers[identifier] = nil }
        let first = AccessoryInterface.Update(
            sequence: buttons.list.sequence,
            time: MonotonicTime.now.microseconds,
            devices: buttons.list.devices,
            event: nil
        )
        call.reply(.encoding(first), continues: true)
    }

    private func getDevices(_ call: VarlinkCall) async {
        await buttons.waitForAvailability()
        buttons.microphones.wanted()
        let reply = AccessoryInterface.DevicesReply(
            devices: buttons.list.devices,
            isCoreConnected: core.isConnected
        )
        call.reply(.encoding(reply))
    }

    private func explain(_ identifier: String, _ call: VarlinkCall) async {
        await buttons.waitForAvailability()
        guard let reply = explanation(of: identifier) else {
            let reason = "there is no such device: `pttctl devices` lists them"
            return call.fail(VarlinkError(AccessoryInterface.deviceNotFound, reason: reason))
        }
        call.reply(.encoding(reply))
    }

    private func scan(for limit: Duration, _ call: VarlinkCall) async {
        await buttons.waitForAvailability()
        do throws(RequestFailure) {
            let observer = try discovery.start(for: limit) { found in
                call.reply(.encoding(AccessoryInterface.ScanReply(device: found)), continues: true)
            } ended: { failure in
                if let failure { return call.fail(VarlinkError(failure)) }
                call.reply(.encoding(AccessoryInterface.ScanReply(device: nil)))
            }
            call.connection.onClose { [weak observer, discovery] in
                if let observer { discovery.stop(observer) }
            }
        } catch {
            call.fail(VarlinkError(error))
        }
    }

    private func pair(_ address: String, _ call: VarlinkCall) async {
        do throws(RequestFailure) {
            let device = try await pairing.pair(address)
            call.reply(.encoding(AccessoryInterface.PairReply(device: device)))
        } catch {
            log.notice("pairing \(address): \(error.reason)")
            call.fail(VarlinkError(error))
        }
    }

    private func pairAndTest(_ request: AccessoryInterface.PairAndTestRequest, _ call: VarlinkCall) async {
        call.connection.onClose { [buttons] in buttons.changes.notify() }
        do throws(RequestFailure) {
            try await pairing.pairAndTest(
                request,
                isWanted: { !call.connection.isClosed },
                report: { call.reply(.encoding($0), continues: $0.step != .enrolled) }
            )
        } catch {
            log.notice("pairing \(request.address): \(error.reason)")
            call.fail(VarlinkError(error))
        }
    }

    private func forget(_ address: String, _ call: VarlinkCall) async {
        do throws(RequestFailure) {
            let remark = try await pairing.forget(address)
            call.reply(.encoding(AccessoryInterface.ForgetReply(remark: remark)))
        } catch {
            call.fail(VarlinkError(error))
        }
    }
}

extension AccessoryInterface.AddressRequest {
    fileprivate func checkedAddress() throws(VarlinkError) -> String {
        guard address.isBluetoothAddress else { throw .invalidParameter("address") }
        return address
    }
}

extension String {
    var isBluetoothAddress: Bool { BluetoothAddress(self) != nil }
}
