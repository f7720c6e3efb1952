import CNetlink
import Dispatch
import Glibc
import MumbleCore
import NIOCore

/// Hears from the kernel what changes in the network of this machine.
@MainActor
final class NetworkMonitor {
    private static let groups =
        RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_IFADDR | RTMGRP_IPV6_ROUTE
    /// More than the kernel puts together into one piece.
    private static let longest = 65_536
    /// Then others have their turn.
    private static let piecesAtOnce = 16

    private let source: any DispatchSourceRead
    private let handle: @MainActor (NetworkChange) -> Void
    private var state = NetworkState()

    /// - Parameter handle: Is told each change.
    /// - Throws: If the kernel gives no socket for it.
    init(handle: @escaping @MainActor (NetworkChange) -> Void) throws {
        let kind = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_NETLINK, kind, NETLINK_ROUTE)
        guard descriptor >= 0 else { throw Self.failure() }
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        address.nl_groups = UInt32(Self.groups)
        let result = withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, socklen_t(MemoryLayout<sockaddr_nl>.size))
            }
        }
        guard result == 0 else {
            defer { close(descriptor) }
            throw Self.failure()
        }
        self.handle = handle
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
        source.setCancelHandler { close(descriptor) }
        source.setEventHandler { [weak self] in
            // On the main queue.
            MainActor.assumeIsolated { self?.read(descriptor) }
        }
        source.resume()
    }

    isolated deinit { source.cancel() }

    private static func failure() -> UserFiles.Failure {
        UserFiles.Failure(
            text: "a change of the network is noticed late, because the kernel does not tell it: "
                + String(cString: strerror(errno))
        )
    }

    private func read(_ descriptor: Int32) {
        for _ in 0..<Self.piecesAtOnce {
            var sender = sockaddr_nl()
            var length = socklen_t(MemoryLayout<sockaddr_nl>.size)
            var error: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: Self.longest) { buffer, count in
                let size = withUnsafeMutablePointer(to: &sender) { sender in
                    sender.withMemoryRebound(to: sockaddr.self, capacity: 1) { sender in
                        recvfrom(descriptor, buffer.baseAddress, buffer.count, 0, sender, &length)
                    }
                }
                if size < 0 { error = errno }
                count = max(0, size)
            }
            switch error {
            // Others than the kernel have nothing to tell.
            case 0: if sender.nl_pid == 0 { for change in state.receive(bytes) { handle(change) } }
            // More has come than the socket holds.
            case ENOBUFS: handle(state.lostMessages())
            case EINTR: continue
            default: return
            }
        }
    }
}

extension ServerSession.Ends {
    /// Nil for what is no IP address.
    init?(_ local: SocketAddress?, _ server: SocketAddress?) {
        guard let local = local.flatMap({ IPAddress($0) }), let server = server.flatMap({ IPAddress($0) })
        else { return nil }
        self.init(local: local, server: server)
    }
}

extension IPAddress {
    fileprivate init?(_ address: SocketAddress) {
        let family: (number: Int32, size: Int)
        switch address {
        case .v4: family = (AF_INET, 4)
        case .v6: family = (AF_INET6, 16)
        case .unixDomainSocket: return nil
        }
        guard let text = address.ipAddress else { return nil }
        var bytes = [UInt8](repeating: 0, count: family.size)
        guard inet_pton(family.number, text, &bytes) == 1 else { return nil }
        self.init(bytes)
    }
}
