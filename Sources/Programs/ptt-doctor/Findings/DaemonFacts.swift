import CommandLineTool
import PTTMessages

/// The result of connecting to a daemon's socket, and of asking for its version.
enum SocketAnswer: Equatable, Sendable {
    /// There is no such socket.
    case missing
    /// There is a socket, on which no process listens.
    case refused
    /// A process accepts the connection, or lets it wait, and does not answer within the time limit.
    case silent
    case failed(reason: String)
    case answered(version: String)
}

/// Both daemons, as their clients find them.
struct DaemonFacts: Equatable, Sendable {
    var core: SocketAnswer
    /// Nil if it has not answered.
    var status: Status?
    var unheardDevices: [UnheardDevice] = []
    var accessory: SocketAnswer
    /// Nil if it has not answered.
    var devices: AccessoryInterface.DevicesReply?

    var findings: [Finding] {
        let core = finding(.core, of: "pttd", self.core)
        let accessory = finding(.accessoryDaemon, of: "ptt-accessoryd", self.accessory)
        return core + notSaved + accessory + separated
    }

    private func finding(_ check: Check, of name: String, _ answer: SocketAnswer) -> [Finding] {
        let restart = Cure.command("systemctl --user restart \(name).service")
        return switch answer {
        case .missing:
            check.failure(
                Text("\(name) has no socket: \(name).socket does not run"),
                cure: .command("systemctl --user enable --now \(name).socket")
            )
        case .refused:
            check.failure(
                Text("no process listens on the socket of \(name), which an earlier one has left"),
                cure: .command("systemctl --user restart \(name).socket")
            )
        case .silent: check.failure(Text("\(name) hangs: it does not answer"), cure: restart)
        case .failed(let reason): check.failure(Text("\(name) cannot be asked: \(reason)"), cure: restart)
        case .answered(let running) where running != Product.version:
            check.warning(
                Text("the \(name) that runs is version \(running), this is \(Product.version)"),
                cure: restart
            )
        case .answered(let running): check.ok(Text("\(name) \(running) answers"))
        }
    }

    private var notSaved: [Finding] {
        guard let reason = status?.saveFailure else { return [] }
        return Check.core.warning(
            Text("the channel is not kept over a restart: \(reason)"),
            cure: .advice(
                Text("make room or give the directory back to its owner; the core then saves by itself")
            )
        )
    }

    private var separated: [Finding] {
        guard let devices, !devices.isCoreConnected else { return [] }
        return Check.accessoryDaemon.failure(
            Text("ptt-accessoryd is not connected to the core: no press transmits"),
            cure: .command("systemctl --user restart ptt-accessoryd.service")
        )
    }

    /// The remarks of ptt-accessoryd on buttons and headsets that cannot be used as they are.
    var deviceFindings: [Finding] {
        (devices?.devices ?? []).flatMap { device -> [Finding] in
            guard let remark = device.remark, device.link != .ready else { return [] }
            return Check.buttons.warning(Text("\(device.name): \(remark)"), cure: Self.cure(in: remark))
        }
    }

    /// The names of those whose keys ptt-accessoryd watches, near or away.
    var bluetoothHeadsets: [String] {
        (devices?.devices ?? []).filter { $0.kind == .bluetoothHeadset && $0.link != .unused }.map(\.name)
    }

    /// The remark names the command, if there is one, in backquotes.
    private static func cure(in remark: String) -> Cure {
        let parts = remark.split(separator: "`", omittingEmptySubsequences: false)
        // A name in the remark may have backquotes too.
        let words = parts.count > 2 ? parts[1].split(separator: " ").map { String($0) } : []
        if words.first == "pttctl", words.allSatisfy(ShellArgument.isPlain) {
            return .command(words.joined(separator: " "))
        }
        return .advice(Text("`pttctl monitor` shows what it does"))
    }
}
