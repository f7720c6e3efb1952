import Foundation
import MumbleCore
import NIOCore

// The connection to the server.
extension Radio {
    func watchNetwork() {
        do {
            network = try NetworkMonitor { [weak self] change in
                guard let self else { return }
                perform(session.networkChanged(change, now))
            }
        } catch {
            Output.error(error.localizedDescription)
        }
    }

    func connect() {
        disconnect()
        let servers: KnownServers
        do {
            servers = KnownServers(try UserFiles.read(UserFiles.knownServers) ?? "")
        } catch {
            return perform(session.refuse(error.localizedDescription, .file))
        }
        connection = ServerConnection(
            to: (address.host, address.port),
            on: group,
            as: identity,
            known: servers.fingerprint(of: address.server)
        ) { [weak self] event in self?.handle(event) }
    }

    func disconnect() {
        connection?.close()
        datagrams?.close()
        (connection, datagrams) = (nil, nil)
        perform(floor.disconnected())
    }

    private func handle(_ event: ServerConnection.Event) {
        switch event {
        case .connected(let local, let server):
            datagrams = server.map { server in
                DatagramConnection(to: server, on: group) { [weak self] event in
                    guard let self else { return }
                    perform(session.handle(event, now))
                }
            }
            perform(session.connected(now, by: ServerSession.Ends(local, server)))
        case .verified(let fingerprint): remember(fingerprint)
        case .received(let bytes): perform(session.received(bytes.readableBytesView, now))
        case .lost(let reason, let trouble):
            disconnect()
            perform(session.lost("\(address.server): \(reason)", by: trouble, now))
        case .certificateChanged(let known, let shown):
            disconnect()
            let reason = address.change(ofCertificate: known, to: shown)
            let trouble = Trouble.certificateChanged(file: UserFiles.knownServers.path, shown: shown)
            perform(session.refuse(reason, trouble))
        }
    }

    /// The first certificate of a server counts from then on.
    private func remember(_ fingerprint: String) {
        do {
            var servers = KnownServers(try UserFiles.read(UserFiles.knownServers) ?? "")
            guard servers.fingerprint(of: address.server) == nil else { return }
            servers.add(address.server, fingerprint)
            try UserFiles.write(servers.text, to: UserFiles.knownServers)
            Output.line("\(address.server) is new: its certificate is SHA-256 \(fingerprint)")
        } catch {
            // Otherwise a change would not be noticed the next time.
            perform(session.refuse(error.localizedDescription, .file))
        }
    }
}
