import EventLoop
import Glibc
import JSON
import PTTMessages
import ServiceClient
import Varlink

extension DaemonFacts {
    /// Connecting to a daemon's socket starts it, as every command does.
    @EventLoop
    static func observed() async -> DaemonFacts {
        async let core = SocketAnswer.observed(.core)
        async let accessory = SocketAnswer.observed(.accessory)
        var facts = DaemonFacts(core: await core, accessory: await accessory)
        // `try?`: that a daemon has answered once and not again is not worth a finding of its own.
        if case .answered = facts.core {
            let reply = try? await ServiceConnection.core()
                .call(ChannelInterface.getStatus, NoParameters(), timeLimit: Host.timeLimit)
            facts.status = reply?.status
            facts.unheardDevices = reply?.unheardDevices ?? []
        }
        if case .answered = facts.accessory {
            facts.devices = try? await ServiceConnection.accessory()
                .call(AccessoryInterface.getDevices, NoParameters(), timeLimit: Host.timeLimit)
        }
        return facts
    }
}

extension SocketAnswer {
    /// Includes the start of the daemon, which systemd starts when its socket is connected to.
    private static let timeLimit = Duration.seconds(3)

    @EventLoop
    fileprivate static func observed(_ socket: RuntimeSocket) async -> SocketAnswer {
        let client: VarlinkClient
        do {
            client = try VarlinkClient(connectingTo: try socket.path)
        } catch let error as SystemError {
            return SocketAnswer(error)
        } catch {
            return .missing
        }
        defer { client.close() }
        do throws(VarlinkCallError) {
            let info = try await client.call("org.varlink.service.GetInfo", timeLimit: timeLimit)
            return .answered(version: info["version"]?.string ?? "unknown")
        } catch {
            switch error {
            case .timedOut: return .silent
            case .answered, .disconnected: return .failed(reason: "\(error)")
            }
        }
    }

    private init(_ error: SystemError) {
        self =
            switch error.code {
            case ENOENT, ENOTDIR: .missing
            case ECONNREFUSED: .refused
            // The queue of a process that accepts no connection is full.
            case EAGAIN: .silent
            default: .failed(reason: error.description)
            }
    }
}
