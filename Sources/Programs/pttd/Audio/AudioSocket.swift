import CoreLink
import EventLoop
import Glibc
import JSON
import Journal
import PTTCore
import PTTMessages

/// The second socket: the microphone's way to the application, and the application's way to the speaker.
///
/// Attaching, or joining with an application, hands out a token; the connection whose first packet is that token gets
/// the frames, and may write such itself. A token is good for one connection. An application that does not read loses
/// packets and sees the gap in their sequence; one that writes more than is played has to wait. Neither holds up the
/// core.
@EventLoop
final class AudioSocket {
    /// How long a connection may take to present its token.
    private static let patience = Duration.seconds(5)
    /// Connections without a token at a time; more are closed at once.
    private static let strangers = 8
    /// A failing `accept` leaves the peer waiting, and the loop would call again at once.
    private static let retryTime = Duration.seconds(1)

    private let listening: OwnedDescriptor
    private let peers: BoundedLog
    /// Takes what an application writes.
    var receive: @EventLoop (ClientID, UnsafeRawBufferPointer) -> AudioConnection.Reception = { _, _ in
        .wantsMore
    }
    /// Called when an application has presented its token.
    var connected: @EventLoop (ClientID) -> Void = { _ in }
    /// Called when the connection of an application that is still there has closed.
    var lost: @EventLoop (ClientID) -> Void = { _ in }
    private var acceptor: DescriptorSource?
    private var retryTimer: TimerSource?
    private var tokens: [UTF8Text: ClientID] = [:]
    private var waiting: [AudioConnection] = []
    private var attached: [ClientID: AudioConnection] = [:]

    init(adopting listening: consuming OwnedDescriptor, peers: BoundedLog) throws(SystemError) {
        self.listening = listening
        self.peers = peers
        acceptor = try DescriptorSource(self.listening.value, .readable, priority: .idle) { [weak self] _ in
            self?.acceptPeers()
        }
        retryTimer = TimerSource { [weak self] in self?.acceptor?.interest = .readable }
    }

    // Before the descriptor closes with this object.
    isolated deinit { acceptor?.cancel() }

    /// Draws a token for the application `client`, in place of an earlier one.
    func issueToken(to client: ClientID) -> String {
        revoke(client)
        let token = Token.draw()
        tokens[UTF8Text(token)] = client
        return token
    }

    /// Closes the audio of an application that has gone.
    func revoke(_ client: ClientID) {
        tokens = tokens.filter { $0.value != client }
        attached.removeValue(forKey: client)?.close()
    }

    /// Sends one packet to the application, or drops it when the application's queue is full.
    func send(_ header: AudioPacketHeader, _ samples: UnsafeRawBufferPointer, to client: ClientID) {
        guard let connection = attached[client] else { return }
        if !connection.send(header, samples) {
            peers.log(level: .notice, "the application closed its audio socket", about: 0)
            attached.removeValue(forKey: client)?.close()
            lost(client)
        }
    }

    /// Drops what an application has written so far.
    func discard(from client: ClientID) {
        attached[client]?.discard()
    }

    /// Lets everybody write again who had to wait.
    func resume() {
        for connection in attached.values { connection.resume() }
    }

    private func acceptPeers() {
        do throws(SystemError) {
            while let descriptor = try UnixSocket.accept(listening.value) {
                try admit(descriptor)
            }
        } catch {
            peers.log(level: .warning, "audio socket: \(error)", about: 0)
            acceptor?.interest = []
            retryTimer?.arm(after: Self.retryTime)
        }
    }

    private func admit(_ descriptor: consuming OwnedDescriptor) throws(SystemError) {
        let peer = try UnixSocket.peerCredentials(descriptor.value)
        guard peer.userID == getuid() else {
            return peers.log(
                level: .warning,
                "audio socket: refused process \(peer.processID) of user \(peer.userID)",
                about: peer.processID
            )
        }
        guard waiting.count < Self.strangers else {
            return peers.log(
                level: .warning,
                "audio socket: too many connections without a token, refused process \(peer.processID)",
                about: peer.processID
            )
        }
        let connection = AudioConnection(adopting: descriptor, patience: Self.patience)
        let handlers = AudioConnection.Handlers(
            token: { [weak self, weak connection] token in
                guard let connection else { return }
                self?.attach(connection, token, peer)
            },
            packet: { [weak self, weak connection] packet in
                guard let self, let client = attached.first(where: { $0.value === connection })?.key
                else { return .wantsMore }
                return receive(client, packet)
            },
            ended: { [weak self, weak connection] reason in
                guard let connection else { return }
                self?.drop(connection, reason, peer)
            }
        )
        try connection.start(handlers)
        waiting.append(connection)
    }

    private func attach(_ connection: AudioConnection, _ token: String, _ peer: UnixSocket.PeerCredentials) {
        let token = UTF8Text(token)
        guard let client = tokens[token], attached[client] == nil else {
            drop(connection, "process \(peer.processID) presented a token that is unknown or in use", peer)
            return
        }
        waiting.removeAll { $0 === connection }
        attached[client] = connection
        connected(client)
    }

    private func drop(_ connection: AudioConnection, _ reason: String, _ peer: UnixSocket.PeerCredentials) {
        peers.log(level: .notice, "audio socket: \(reason)", about: peer.processID)
        connection.close()
        waiting.removeAll { $0 === connection }
        guard let client = attached.first(where: { $0.value === connection })?.key else { return }
        attached[client] = nil
        lost(client)
    }
}
