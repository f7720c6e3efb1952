import EventLoop
import Glibc
import Journal
import Logging
import PTTCore
import PTTMessages
import ServiceClient

/// The audio socket: carries frames of the microphone to the application, and the application's samples to
/// the speaker.
///
/// Attaching, or joining with an application, returns a token; the connection whose first packet is that
/// token receives the frames, and may write packets of samples. A token is valid for one connection at a
/// time: when that has ended, the application may connect again with it. An application that does not read
/// loses packets and sees the gap in their sequence; one that writes more than is played has to wait. Neither
/// blocks the core.
@EventLoop
final class AudioSocket {
    /// An application that may connect.
    private struct Holder {
        let token: [UInt8]
        var link = Link.awaited(unsent: [])

        var connection: AudioConnection? {
            if case .connected(let connection) = link { connection } else { nil }
        }
    }

    private enum Link {
        /// It connects a moment after it has its token, and must not lose the first words of a transmission
        /// that has begun.
        case awaited(unsent: [(header: AudioPacketHeader, samples: [UInt8])])
        case connected(AudioConnection)
        case lost
    }

    /// The number of connections that may be without a token at a time. A further one replaces the oldest of
    /// them; an application presents its token as soon as it has connected.
    private static let waitingLimit = 8
    /// The number of packets that wait for an application that has not connected yet, two seconds; the oldest
    /// is dropped first.
    private static let unsentLimit = 100

    private let peers: RateLimitedLog
    /// Called for each packet of an application.
    var receive: @EventLoop (ClientID, UnsafeRawBufferPointer) -> AudioConnection.Reception = { _, _ in
        .wantsMore
    }
    /// Called when an application has presented its token.
    var connected: @EventLoop (ClientID) -> Void = { _ in }
    /// Called when the connection of an application that has not disconnected otherwise has closed.
    var lost: @EventLoop (ClientID) -> Void = { _ in }
    private var listener: SocketListener?
    private var holders: [ClientID: Holder] = [:]
    /// Connections without a token, the oldest first.
    private var waiting: [AudioConnection] = []

    init(adopting listening: consuming OwnedDescriptor, peers: RateLimitedLog) throws(SystemError) {
        self.peers = peers
        listener = try SocketListener(listening) { [weak self] result in
            guard let self else { return }
            do throws(SystemError) {
                try admit(OwnedDescriptor(adopting: try result.get()))
            } catch {
                peers.log(level: .warning, "audio socket: \(error)", about: 0)
            }
        }
    }

    /// Generates a token for the application `client`, which replaces an earlier one.
    func issueToken(to client: ClientID) -> String {
        revoke(client)
        let token = Token.random()
        holders[client] = Holder(token: Array(token.utf8))
        return token
    }

    /// Revokes the token of an application that has disconnected, and closes its connection.
    func revoke(_ client: ClientID) {
        holders.removeValue(forKey: client)?.connection?.close()
    }

    /// Sends one packet to the application, or drops it when the application's queue is full.
    func send(_ header: AudioPacketHeader, _ samples: UnsafeRawBufferPointer, to client: ClientID) {
        switch holders[client]?.link {
        case .connected(let connection):
            if connection.send(header, samples) { return }
            drop(connection, "the application closed its audio socket")
        case .awaited(let unsent):
            let newest = unsent.suffix(Self.unsentLimit - 1) + [(header, Array(samples))]
            holders[client]?.link = .awaited(unsent: Array(newest))
        case .lost, nil: break
        }
    }

    /// Discards what waits for applications that have not connected yet: its transmission has ended.
    func discardUnsent() {
        for (client, holder) in holders {
            if case .awaited = holder.link { holders[client]?.link = .awaited(unsent: []) }
        }
    }

    /// Discards what an application has written so far.
    func discard(from client: ClientID) {
        holders[client]?.connection?.discard()
    }

    /// Reads again from applications that had to wait.
    func resume() {
        for holder in holders.values { holder.connection?.resume() }
    }

    // MARK: Connections without a token

    private func admit(_ descriptor: consuming OwnedDescriptor) throws(SystemError) {
        let peer = try UnixSocket.peerCredentials(descriptor.value)
        guard peer.userID == getuid() else {
            return peers.log(
                level: .warning,
                "audio socket: refused process \(peer.processID) of user \(peer.userID)",
                about: peer.processID
            )
        }
        if waiting.count >= Self.waitingLimit {
            drop(waiting[0], "too many connections without a token: the oldest was closed")
        }
        let connection = AudioConnection(adopting: descriptor, from: peer.processID, of: self)
        waiting.append(connection)
        do throws(SystemError) {
            try connection.start()
        } catch {
            drop(connection, "\(error)")
        }
    }

    // MARK: Called by connections

    /// The first packet of a connection.
    func attach(_ connection: AudioConnection, _ token: [UInt8]) {
        guard let client = holder(of: token) else {
            return drop(connection, "process \(connection.processID) presented an unknown token")
        }
        if let former = holders[client]?.connection {
            // A new connection may be handled before the end of the one that it replaces.
            guard former.hasPeerClosed else {
                return drop(connection, "process \(connection.processID) presented a token that is in use")
            }
            drop(former, "the peer closed its connection")
        }
        waiting.removeAll { $0 === connection }
        let before = holders[client]?.link
        holders[client]?.link = .connected(connection)
        connected(client)
        guard case .awaited(let unsent) = before else { return }
        for packet in unsent { packet.samples.withUnsafeBytes { send(packet.header, $0, to: client) } }
    }

    /// Header and samples of one packet of a connection that has presented its token.
    func received(_ packet: UnsafeRawBufferPointer, from connection: AudioConnection)
        -> AudioConnection.Reception
    {
        holder(of: connection).map { receive($0, packet) } ?? .wantsMore
    }

    /// The client with this token. Compares every byte of every token, so that the time reveals nothing about
    /// them.
    private func holder(of token: [UInt8]) -> ClientID? {
        var found: ClientID?
        for (client, holder) in holders where holder.token.count == token.count {
            let difference = zip(holder.token, token).reduce(0) { $0 | ($1.0 ^ $1.1) }
            if difference == 0 { found = client }
        }
        return found
    }

    private func holder(of connection: AudioConnection) -> ClientID? {
        holders.first { $0.value.connection === connection }?.key
    }

    func drop(_ connection: AudioConnection, _ reason: String) {
        peers.log(level: .notice, "audio socket: \(reason)", about: connection.processID)
        connection.close()
        waiting.removeAll { $0 === connection }
        guard let client = holder(of: connection) else { return }
        holders[client]?.link = .lost
        lost(client)
    }
}
