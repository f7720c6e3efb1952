import Crypto
import Foundation
import MumbleCore
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// One TCP connection with TLS. What comes is handed over piece by piece: no more is read before a piece was
/// handled, so that a server that floods fills no memory.
@MainActor
final class ServerConnection {
    enum Event {
        /// Connected by TCP. What is sent from now on waits for TLS. Without addresses it is closed again,
        /// but a server has counted it.
        case connected(from: SocketAddress?, to: SocketAddress?)
        /// TLS is ready: the server has this certificate.
        case verified(fingerprint: String)
        case received(ByteBuffer)
        case lost(String, Trouble = .unreachable)
        case certificateChanged(from: String, to: String)
    }

    /// Shorter than what a session waits for a step.
    private static let connectLimit = TimeAmount.seconds(8)

    private let handle: @MainActor (Event) -> Void
    private var channel: (any Channel)?
    private var task: Task<Void, Never>?

    /// - Parameters:
    ///   - target: Where to connect to.
    ///   - group: Runs the connection.
    ///   - identity: Ours.
    ///   - known: The certificate that the server had before.
    ///   - handle: Is told what happens, until ``close()`` and at most once ``Event/lost(_:_:)``.
    init(
        to target: (host: String, port: Int),
        on group: MultiThreadedEventLoopGroup,
        as identity: Identity,
        known: String?,
        handle: @escaping @MainActor (Event) -> Void
    ) {
        self.handle = handle
        let check = CertificateCheck(known: known)
        task = MainQueue.start { [weak self] in
            do {
                let channel = try await Self.connect(to: target, on: group, as: identity, check)
                try await channel.executeThenClose { inbound, _ in
                    self?.connected(channel.channel)
                    var isVerified = false
                    for try await bytes in inbound {
                        if !isVerified, let fingerprint = check.shown {
                            isVerified = true
                            self?.report(.verified(fingerprint: fingerprint))
                        }
                        self?.report(.received(bytes))
                    }
                }
                self?.report(.lost("the server closes the connection"))
            } catch {
                self?.failed(error, check)
            }
        }
    }

    isolated deinit { task?.cancel() }

    /// Ends it without an event.
    func close() {
        task?.cancel()
        task = nil
        channel = nil
    }

    func send(_ bytes: [UInt8]) {
        guard let channel else { return }
        // What is written and not sent is bounded by NIO's mark of 64 KiB, and by what one call writes.
        guard channel.isWritable else {
            report(.lost("the server does not read what is sent"))
            return close()
        }
        // A failure ends the connection, which is reported.
        channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
    }

    private func connected(_ channel: any Channel) {
        guard task != nil else { return }
        self.channel = channel
        report(.connected(from: channel.localAddress, to: channel.remoteAddress))
    }

    private func failed(_ error: any Error, _ check: CertificateCheck) {
        // Hung up at once: the server has accepted it nevertheless.
        if channel == nil, isReset(error) { report(.connected(from: nil, to: nil)) }
        if let known = check.known, let shown = check.shown, known != shown {
            report(.certificateChanged(from: known, to: shown))
        } else {
            report(.lost(readable(error), trouble(error)))
        }
    }

    private func report(_ event: Event) {
        if task != nil { handle(event) }
    }

    private static func connect(
        to target: (host: String, port: Int),
        on group: MultiThreadedEventLoopGroup,
        as identity: Identity,
        _ check: CertificateCheck
    ) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        // The check is below, and hardly a server has a certificate with its name.
        configuration.certificateVerification = .noHostnameVerification
        // It asks for none, which need not be installed.
        configuration.trustRoots = .certificates([])
        configuration.certificateChain = identity.chain
        configuration.privateKey = identity.key
        let context = try NIOSSLContext(configuration: configuration)
        return try await ClientBootstrap(group: group)
            .connectTimeout(connectLimit)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: target.host, port: target.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    // The name is only for servers with several certificates, and may be no address.
                    let isAddress = (try? SocketAddress(ipAddress: target.host, port: 0)) != nil
                    let tls = try NIOSSLClientHandler(
                        context: context,
                        serverHostname: isAddress ? nil : target.host,
                        customVerificationCallback: { chain, promise in
                            promise.succeed(check.accepts(chain) ? .certificateVerified : .failed)
                        }
                    )
                    try channel.pipeline.syncOperations.addHandler(tls)
                    return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
                }
            }
    }
}

/// The check of a server's certificate: the one that it had before, or any if it is new.
private final class CertificateCheck: Sendable {
    let known: String?
    private let state = Mutex<String?>(nil)

    /// The SHA-256 of the certificate that the server has shown.
    var shown: String? { state.withLock(\.self) }

    init(known: String?) {
        self.known = known
    }

    func accepts(_ chain: [NIOSSLCertificate]) -> Bool {
        // What has no certificate, or a damaged one, is refused.
        guard let bytes = try? chain.first?.toDERBytes() else { return false }
        let fingerprint = SHA256.hash(data: bytes).map { String(hexadecimal: $0) }.joined(separator: ":")
        state.withLock { $0 = fingerprint }
        return known == nil || known == fingerprint
    }
}

extension String {
    fileprivate init(hexadecimal byte: UInt8) {
        let digits = String(byte, radix: 16)
        self = digits.count == 1 ? "0" + digits : digits
    }
}

private func isReset(_ error: any Error) -> Bool {
    switch error {
    case let error as NIOConnectionError: error.connectionErrors.contains { isReset($0.error) }
    case let error as IOError: error.errnoCode == ECONNRESET
    default: false
    }
}

extension NIOSSLError {
    /// True if the server has closed the connection. One that bans our address does so at once.
    fileprivate var isHangUp: Bool {
        self == .uncleanShutdown || self == .handshakeFailed(.sslError([.eofDuringHandshake]))
    }
}

private func trouble(_ error: any Error) -> Trouble {
    switch error {
    case let error as NIOSSLError where error.isHangUp: .unreachable
    case NIOSSLError.handshakeFailed: .notMumble
    default: .unreachable
    }
}

/// For people.
private func readable(_ error: any Error) -> String {
    switch error {
    case let error as NIOConnectionError:
        error.connectionErrors.first.map { readable($0.error) } ?? "the name \(error.host) is not known"
    case let error as IOError: String(cString: strerror(error.errnoCode))
    case ChannelError.connectTimeout: "no answer"
    case let error as NIOSSLError where error.isHangUp: "the server closes the connection"
    case NIOSSLError.handshakeFailed: "what answers has no encryption (TLS) as Mumble's servers have"
    case is NIOSSLError, is BoringSSLError: "the encryption of the connection has failed"
    default: "the connection has failed: \(error)"
    }
}
