import Foundation
import MumbleCore
import NIOCore
import NIOPosix

/// `ptt-mumble --check`: changes no file, and goes into the channel for a moment, as a start would.
@MainActor
final class Examination {
    private var session: ServerSession
    private let identity: Identity
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let origin = ContinuousClock.now
    private let alarm: Alarm
    private var connection: ServerConnection?
    private var datagrams: DatagramConnection?
    private var certificate: String?
    private let (settlements, settlement) = AsyncStream.makeStream(of: Void.self)

    private init(_ address: ServerAddress, password: String?, as identity: Identity) throws {
        session = ServerSession(address, password: password)
        self.identity = identity
        alarm = try Alarm()
    }

    /// - Parameters:
    ///   - destination: Returns the channel to look at.
    ///   - password: Of its server, unless the address has one.
    /// - Returns: True if nothing is wrong. Everything was printed then.
    static func run(_ destination: () throws -> Destination, password: String?) async -> Bool {
        var isWell = true
        // All of it is to be read, and nothing else waits meanwhile.
        func show(_ findings: [Finding]) {
            for finding in findings {
                for line in finding.lines { print(Output.printable(line)) }
                if finding.severity == .failure { isWell = false }
            }
        }
        show([.names])
        let (identity, finding) = Identity.examined
        show([finding])
        if let lines = RunningProgram.shown() {
            print("ok       server: ptt-mumble runs, and says:")
            for line in lines { print(Output.printable(line)) }
            return isWell && !lines.contains { $0.hasPrefix(Finding.Severity.failure.rawValue) }
        }
        do {
            let destination = try destination()
            guard let identity else { return false }
            let own = destination.address.password ?? password
            show(try await Examination(destination.address, password: own, as: identity).findings())
        } catch {
            let cure = Finding.Cure.advice("write ptt-mumble --check mumble://USER@HOST/CHANNEL, or a name")
            show([.failure(.channel, error, otherwise: cure)])
        }
        return isWell
    }

    private var now: Duration { origin.duration(to: .now) }

    private func findings() async -> [Finding] {
        perform(session.start(now))
        for await () in settlements { break }
        connection?.close()
        datagrams?.close()
        return session.findings(certificate: certificate)
    }

    private func perform(_ effects: [ServerSession.Effect]) {
        for effect in effects {
            switch effect {
            case .connect: connect()
            case .disconnect:
                connection?.close()
                datagrams?.close()
            case .send(let bytes): connection?.send(bytes)
            case .sendDatagram(let packet): datagrams?.send(packet)
            // The session tells all of it in the end.
            case .entered, .mayTalk, .rule, .status, .heard, .denied, .pictured, .emergency, .left,
                .unsent, .note, .ended:
                break
            }
        }
        if session.isSettled {
            alarm.set(nil) {}
            settlement.yield()
        } else {
            alarm.set(session.deadline.map { origin + $0 }) { [weak self] in
                guard let self else { return }
                perform(session.timer(now))
            }
        }
    }

    private func connect() {
        let address = session.address
        let known: String?
        do {
            known = KnownServers(try UserFiles.read(UserFiles.knownServers) ?? "").fingerprint(
                of: address.server
            )
        } catch {
            return perform(session.refuse(error.localizedDescription, .file))
        }
        connection = ServerConnection(
            to: (address.host, address.port),
            on: group,
            as: identity,
            known: known
        ) { [weak self] event in self?.handle(event, isKnown: known != nil) }
    }

    private func handle(_ event: ServerConnection.Event, isKnown: Bool) {
        switch event {
        case .connected(_, let server):
            datagrams = server.map { server in
                DatagramConnection(to: server, on: group) { [weak self] event in
                    guard let self else { return }
                    perform(session.handle(event, now))
                }
            }
            perform(session.connected(now))
        case .verified(let fingerprint):
            certificate =
                isKnown
                ? "with the certificate that is known" : "with a new certificate, SHA-256 \(fingerprint)"
        case .received(let bytes): perform(session.received(bytes.readableBytesView, now))
        case .lost(let reason, let trouble):
            perform(session.lost("\(session.address.server): \(reason)", by: trouble, now))
        case .certificateChanged(let known, let shown):
            let reason = session.address.change(ofCertificate: known, to: shown)
            let trouble = Trouble.certificateChanged(file: UserFiles.knownServers.path, shown: shown)
            perform(session.refuse(reason, trouble))
        }
    }
}

extension Finding {
    /// The other cure is for errors that have none.
    fileprivate static func failure(_ subject: Subject, _ error: any Error, otherwise other: Cure) -> Finding
    {
        guard let error = error as? UserFiles.Failure else {
            // Those of arguments say it in their description only.
            let text = error is any LocalizedError ? error.localizedDescription : "\(error)"
            return .failure(subject, text, cure: other)
        }
        return .failure(subject, error.text, cure: error.cure ?? other)
    }

    /// Of the file with names.
    fileprivate static var names: Finding {
        let path = UserFiles.channels.path
        do {
            let names = try UserFiles.channelList().names
            let has = names.isEmpty ? "no names, or is not there" : names.joined(separator: ", ")
            return .ok(.names, "\(path) has \(has)")
        } catch {
            return .failure(.names, error, otherwise: .advice("change that in the file"))
        }
    }
}

extension Identity {
    /// - Returns: The one that there is, or, if there is none, one for this examination only; nil for one
    ///   that is damaged.
    fileprivate static var examined: (Identity?, Finding) {
        let path = UserFiles.identity.path
        do {
            guard let kept = try kept() else {
                return (try fresh().identity, .ok(.identity, "the first start makes \(path)"))
            }
            let now = Int(Date().timeIntervalSince1970)
            return (kept, .identity(path, until: kept.end, now: now))
        } catch {
            return (nil, .failure(.identity, error, otherwise: .advice("have it for this user to read")))
        }
    }
}
