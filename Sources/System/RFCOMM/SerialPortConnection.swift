package import EventLoop
import Glibc

/// Opens a serial port of a Bluetooth device without bluetoothd: SDP for its channel, then an RFCOMM socket
/// with low security. Dropping it ends the attempt. Nothing blocks.
@EventLoop
package final class SerialPortConnection {
    private let device: BluetoothAddress
    private let adapter: BluetoothAddress
    private let opened: @EventLoop (consuming OwnedDescriptor) -> Void
    private let failed: @EventLoop (SystemError) -> Void
    private var connecting: PendingSocket?
    private var query: ChannelQuery?
    private lazy var limit = TimerSource { [weak self] in self?.timedOut() }

    /// - Parameters:
    ///   - service: The service class of the port.
    ///   - device: Whose port.
    ///   - adapter: The adapter to use.
    ///   - timeLimit: For all steps.
    ///   - opened: Called with the connected socket.
    ///   - failed: Called with the reason. One of both is called once, never before this returns.
    /// - Throws: If there are no Bluetooth sockets.
    package init(
        to service: ServiceClass,
        of device: BluetoothAddress,
        from adapter: BluetoothAddress,
        timeLimit: Duration,
        opened: @escaping @EventLoop (consuming OwnedDescriptor) -> Void,
        failed: @escaping @EventLoop (SystemError) -> Void
    ) throws(SystemError) {
        self.device = device
        self.adapter = adapter
        self.opened = opened
        self.failed = failed
        connecting = try PendingSocket(
            try BluetoothSocket.connectSDP(to: device, from: adapter),
            action: "query \(device) for its serial port"
        ) { [weak self] socket in
            self?.search(for: service, socket)
        } failed: { [weak self] in
            self?.fail($0)
        }
        limit.arm(after: timeLimit)
    }

    private func search(for service: ServiceClass, _ socket: consuming OwnedDescriptor) {
        connecting = nil
        do throws(SystemError) {
            query = try ChannelQuery(socket, service: service, device: "\(device)") { [weak self] result in
                switch result {
                case .success(let channel): self?.connect(to: channel)
                case .failure(let error): self?.fail(error)
                }
            }
        } catch {
            fail(error)
        }
    }

    private func connect(to channel: UInt8) {
        query = nil
        do throws(SystemError) {
            connecting = try PendingSocket(
                try BluetoothSocket.connectRFCOMM(to: device, channel: channel, from: adapter),
                action: "connect to the serial port of \(device)"
            ) { [weak self] socket in
                self?.connecting = nil
                self?.limit.disarm()
                self?.opened(socket)
            } failed: { [weak self] in
                self?.fail($0)
            }
        } catch {
            fail(error)
        }
    }

    private func timedOut() {
        fail(SystemError("connect to the serial port of \(device)", ETIMEDOUT))
    }

    private func fail(_ error: SystemError) {
        connecting = nil
        query = nil
        limit.disarm()
        failed(error)
    }
}

/// A socket whose connection is being made. Dropping it closes the socket.
@EventLoop
private final class PendingSocket {
    private let action: String
    private let connected: @EventLoop (consuming OwnedDescriptor) -> Void
    private let failed: @EventLoop (SystemError) -> Void
    private var socket: OwnedDescriptor?
    private var source: DescriptorSource?

    init(
        _ socket: consuming OwnedDescriptor,
        action: String,
        connected: @escaping @EventLoop (consuming OwnedDescriptor) -> Void,
        failed: @escaping @EventLoop (SystemError) -> Void
    ) throws(SystemError) {
        self.action = action
        self.connected = connected
        self.failed = failed
        let number = socket.value
        self.socket = consume socket
        source = try DescriptorSource(number, .writable) { [weak self] _ in self?.ready(number) }
    }

    isolated deinit { source?.cancel() }

    private func ready(_ number: Int32) {
        source?.cancel()
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &size) == 0, code == 0 else {
            return failed(SystemError(action, code == 0 ? errno : code))
        }
        if let socket = self.socket.take() { connected(socket) }
    }
}
