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
    /// While its connection is being made.
    private var socket: OwnedDescriptor?
    private var source: DescriptorSource?
    private var query: ChannelQuery?
    private lazy var limit = TimerSource { [weak self] in self?.timedOut() }

    /// Takes no longer than `timeLimit` for all steps. Either `opened` is called, with the connected socket,
    /// or `failed`, with the reason: once, and never before this returns.
    ///
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
        try wait(
            for: try BluetoothSocket.connectSDP(to: device, from: adapter),
            action: "query \(device) for its serial port"
        ) { connection, socket in
            connection.search(for: service, socket)
        }
        limit.arm(after: timeLimit)
    }

    // The source ends before the descriptor closes: the number may be reused from then on.
    isolated deinit { source?.cancel() }

    /// Waits until the connection of a socket is made.
    private func wait(
        for socket: consuming OwnedDescriptor,
        action: String,
        then: @escaping @EventLoop (SerialPortConnection, consuming OwnedDescriptor) -> Void
    ) throws(SystemError) {
        let number = socket.value
        self.socket = consume socket
        source = try DescriptorSource(number, .writable) { [weak self] _ in
            guard let self else { return }
            self.source?.cancel()
            var code: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            guard getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &size) == 0, code == 0 else {
                return self.fail(SystemError(action, code == 0 ? errno : code))
            }
            if let socket = self.socket.take() { then(self, socket) }
        }
    }

    private func search(for service: ServiceClass, _ socket: consuming OwnedDescriptor) {
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
            try wait(
                for: try BluetoothSocket.connectRFCOMM(to: device, channel: channel, from: adapter),
                action: "connect to the serial port of \(device)"
            ) { connection, socket in
                connection.limit.disarm()
                connection.opened(socket)
            }
        } catch {
            fail(error)
        }
    }

    private func timedOut() {
        fail(SystemError("connect to the serial port of \(device)", ETIMEDOUT))
    }

    private func fail(_ error: SystemError) {
        source?.cancel()
        socket = nil
        query = nil
        limit.disarm()
        failed(error)
    }
}
