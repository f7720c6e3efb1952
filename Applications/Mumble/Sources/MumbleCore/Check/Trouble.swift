/// Why a channel cannot be had, as far as the cures differ.
public enum Trouble: Hashable, Sendable {
    case unreachable
    case network
    case notMumble
    /// The known one is in this file; the other one is shown.
    case certificateChanged(file: String, shown: String)
    case file
    case password
    case name
    case nameInUse
    case full
    case rejected
    case removed
    case channelMissing
    case channelForbidden

    /// - Parameter type: Of a message Reject of the protocol.
    init(rejection type: UInt32) {
        self =
            switch type {
            case 2: .name
            case 3, 4: .password
            case 5: .nameInUse
            case 6: .full
            default: .rejected
            }
    }

    var subject: Finding.Subject {
        switch self {
        case .channelMissing, .channelForbidden: .channel
        case .unreachable, .network, .notMumble, .certificateChanged, .file, .password, .name, .nameInUse,
            .full, .rejected, .removed:
            .server
        }
    }

    func cure(_ address: ServerAddress) -> Finding.Cure {
        switch self {
        case .unreachable:
            .advice("look whether the server runs, and whether \(address.server) is its address and port")
        case .network: .advice("look whether this machine is connected")
        case .notMumble: .advice("give the port of a Mumble server in the address, as \(address.host):64738")
        case .certificateChanged(let file, let shown):
            .advice(
                "ask who runs the server, because somebody may be in between; if it is right, accept it with:"
                    + " echo '\(address.server) \(shown)' >> '\(file)'"
            )
        case .file: .advice("have the file for this user to read and to write")
        case .password:
            .advice(
                "give the password in PTT_MUMBLE_PASSWORD, or in mumble.toml as mumble://\(address.user):"
                    + "PASSWORD@\(address.host); if \(address.user) is registered by another certificate, bring"
                    + " back a copy of that, or take another name"
            )
        case .name: .advice("take another name than \(address.user) in the address")
        case .nameInUse:
            .advice("end the other program that is there as \(address.user), or take another name")
        case .full: .advice("try again later, or ask who runs the server for more places")
        case .rejected, .removed: .advice("ask who runs the server")
        case .channelMissing: .advice("name a channel that there is, from the root on, as \(address.example)")
        case .channelForbidden:
            .advice("ask who runs the server to let \(address.user) into the channel")
        }
    }
}

extension ServerAddress {
    fileprivate var example: String { "mumble://\(user)@\(host)/Channel/Subchannel" }
}
