import CNetlink
import Glibc

/// A change in the network of this machine.
public enum NetworkChange: Hashable, Sendable {
    /// There is an address more, which can be used.
    case addressAdded
    case addressRemoved(IPAddress)
    case routeAdded(IPPrefix)
    case routeRemoved(IPPrefix)
    /// A link has begun to carry something, or has ceased.
    case link(isRunning: Bool)
    /// Messages were lost: any of the above.
    case unknown
}

/// The addresses, routes and links of which the kernel has told (rtnetlink(7)). It repeats what has not
/// changed, as with each advertisement of a router.
public struct NetworkState: Sendable {
    /// More than machines have; beyond it, what is known is forgotten.
    static let limit = 1024

    private var addresses: Set<IPAddress> = []
    /// Of each link, by its index, whether it carries anything.
    private var links: [Int32: Bool] = [:]
    /// Where each route leads.
    private var routes: [Route: Attributes] = [:]

    /// The key of a route: the kernel has one route for each.
    private struct Route: Hashable {
        let prefix: IPPrefix
        let table: UInt32?
        let metric: UInt32?
    }

    public init() {}

    /// - Parameter bytes: One datagram of the kernel, with one message or several.
    /// - Returns: The changes. A message that cannot be read is none.
    public mutating func receive(_ bytes: [UInt8]) -> [NetworkChange] {
        var changes: [NetworkChange] = []
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while let header = rest.first(nlmsghdr.self),
                MemoryLayout<nlmsghdr>.size...rest.count ~= Int(header.nlmsg_len)
            {
                let content = rest.prefix(Int(header.nlmsg_len)).dropFirst(MemoryLayout<nlmsghdr>.size)
                if let change = change(Int(header.nlmsg_type), content) { changes.append(change) }
                rest = rest.dropFirst(aligned(Int(header.nlmsg_len)))
            }
        }
        return changes
    }

    private mutating func change(_ type: Int, _ content: Slice<UnsafeRawBufferPointer>) -> NetworkChange? {
        switch type {
        case RTM_NEWADDR, RTM_DELADDR: forgetRoutes(after: address(content, isNew: type == RTM_NEWADDR))
        case RTM_NEWROUTE, RTM_DELROUTE: route(content, isNew: type == RTM_NEWROUTE)
        case RTM_NEWLINK, RTM_DELLINK: forgetRoutes(after: link(content, isThere: type == RTM_NEWLINK))
        case Int(NLMSG_OVERRUN): lostMessages()
        default: nil
        }
    }

    /// Everything may have changed meanwhile: whatever the kernel tells next counts as a change.
    public mutating func lostMessages() -> NetworkChange {
        self = NetworkState()
        return .unknown
    }

    private mutating func address(_ content: Slice<UnsafeRawBufferPointer>, isNew: Bool) -> NetworkChange? {
        guard let header = content.first(ifaddrmsg.self) else { return nil }
        let attributes = Attributes(content.dropFirst(aligned(MemoryLayout<ifaddrmsg>.size)))
        // Of a link between two, IFA_ADDRESS is the other end's.
        guard let address = attributes.address(IFA_LOCAL) ?? attributes.address(IFA_ADDRESS) else {
            return nil
        }
        // The older place of the flags has no room for all of them.
        let flags = attributes.number(IFA_FLAGS) ?? UInt32(header.ifa_flags)
        guard isNew else {
            addresses.remove(address)
            return .addressRemoved(address)
        }
        // Nobody else may have it, which the kernel still asks, or has found out.
        let isUsable = flags & UInt32(IFA_F_TENTATIVE | IFA_F_DADFAILED) == 0
        guard isUsable, !address.isOfLink else { return nil }
        if addresses.count >= Self.limit { addresses = [] }
        return addresses.insert(address).inserted ? .addressAdded : nil
    }

    /// The kernel does not tell which routes have gone with an address or a link.
    private mutating func forgetRoutes(after change: NetworkChange?) -> NetworkChange? {
        if change != nil { routes = [:] }
        return change
    }

    private mutating func route(_ content: Slice<UnsafeRawBufferPointer>, isNew: Bool) -> NetworkChange? {
        guard let header = content.first(rtmsg.self), Int(header.rtm_type) == RTN_UNICAST,
            header.rtm_flags & UInt32(RTM_F_CLONED) == 0
        else { return nil }
        let attributes = Attributes(content.dropFirst(aligned(MemoryLayout<rtmsg>.size)))
        let count = Int32(header.rtm_family) == AF_INET ? 4 : 16
        // The default route has none.
        let destination =
            attributes.address(Int(RTA_DST.rawValue)) ?? IPAddress([UInt8](repeating: 0, count: count))
        guard let destination, !destination.isOfLink,
            let prefix = IPPrefix(destination, length: Int(header.rtm_dst_len))
        else { return nil }
        let route = Route(
            prefix: prefix,
            table: attributes.number(Int(RTA_TABLE.rawValue)),
            metric: attributes.number(Int(RTA_PRIORITY.rawValue))
        )
        guard isNew else {
            routes[route] = nil
            return .routeRemoved(prefix)
        }
        if routes.count >= Self.limit { routes = [:] }
        // Until when it counts, and how often it was used, is no other way.
        let way = attributes.without(Int(RTA_CACHEINFO.rawValue))
        return routes.updateValue(way, forKey: route) == way ? nil : .routeAdded(prefix)
    }

    private mutating func link(_ content: Slice<UnsafeRawBufferPointer>, isThere: Bool) -> NetworkChange? {
        guard let header = content.first(ifinfomsg.self) else { return nil }
        let isRunning = isThere && header.ifi_flags & UInt32(IFF_RUNNING) != 0
        if links.count >= Self.limit { links = [:] }
        let before = links[header.ifi_index]
        links[header.ifi_index] = isThere ? isRunning : nil
        return before == isRunning ? nil : .link(isRunning: isRunning)
    }
}

/// The attributes after the fixed part of a message: of each kind, the first one.
private struct Attributes: Equatable {
    private var values: [Int: [UInt8]] = [:]

    init(_ content: Slice<UnsafeRawBufferPointer>) {
        var rest = content
        while let header = rest.first(rtattr.self),
            MemoryLayout<rtattr>.size...rest.count ~= Int(header.rta_len)
        {
            let value = rest.prefix(Int(header.rta_len)).dropFirst(MemoryLayout<rtattr>.size)
            let type = Int(header.rta_type)
            if values[type] == nil { values[type] = Array(value) }
            rest = rest.dropFirst(aligned(Int(header.rta_len)))
        }
    }

    func without(_ type: Int) -> Attributes {
        var rest = self
        rest.values[type] = nil
        return rest
    }

    func address(_ type: Int) -> IPAddress? { values[type].flatMap { IPAddress($0) } }

    func number(_ type: Int) -> UInt32? {
        values[type].flatMap { value in
            value.withUnsafeBytes { $0.count == 4 ? $0.loadUnaligned(as: UInt32.self) : nil }
        }
    }
}

/// Messages and attributes begin at multiples of four bytes.
private func aligned(_ count: Int) -> Int { (count + 3) & ~3 }

extension Slice<UnsafeRawBufferPointer> {
    /// Nil if there are fewer bytes.
    fileprivate func first<Value: BitwiseCopyable>(_ type: Value.Type) -> Value? {
        guard count >= MemoryLayout<Value>.size else { return nil }
        return base.loadUnaligned(fromByteOffset: startIndex, as: type)
    }
}
