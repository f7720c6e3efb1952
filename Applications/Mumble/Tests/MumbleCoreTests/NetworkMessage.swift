import CNetlink
import Glibc

/// Messages as the kernel writes them.
struct NetworkMessage {
    let bytes: [UInt8]

    static func address(
        isNew: Bool = true,
        _ address: [UInt8],
        peer: [UInt8]? = nil,
        flags: Int32 = 0
    ) -> NetworkMessage {
        var header = ifaddrmsg()
        header.ifa_family = UInt8(address.count == 4 ? AF_INET : AF_INET6)
        return NetworkMessage(
            type: isNew ? RTM_NEWADDR : RTM_DELADDR,
            header,
            [(IFA_ADDRESS, peer ?? address)] + (peer == nil ? [] : [(IFA_LOCAL, address)])
                + [(IFA_FLAGS, raw(UInt32(flags)))]
        )
    }

    static func route(
        isNew: Bool = true,
        to address: [UInt8]? = nil,
        _ length: UInt8 = 0,
        family: Int32 = AF_INET,
        type: Int = RTN_UNICAST,
        via router: [UInt8]? = nil,
        metric: UInt32? = nil,
        age: UInt32? = nil
    ) -> NetworkMessage {
        var header = rtmsg()
        header.rtm_family = UInt8(family)
        header.rtm_dst_len = length
        header.rtm_type = UInt8(type)
        let attributes: [(type: rtattr_type_t, value: [UInt8]?)] = [
            (RTA_DST, address), (RTA_GATEWAY, router), (RTA_PRIORITY, metric.map { raw($0) }),
            (RTA_CACHEINFO, age.map { raw($0) }),
        ]
        return NetworkMessage(
            type: isNew ? RTM_NEWROUTE : RTM_DELROUTE,
            header,
            attributes.compactMap { type, value in value.map { (type: Int(type.rawValue), value: $0) } }
        )
    }

    static func link(isThere: Bool = true, isRunning: Bool) -> NetworkMessage {
        var header = ifinfomsg()
        header.ifi_index = 2
        header.ifi_flags = isRunning ? UInt32(IFF_UP | IFF_RUNNING) : UInt32(IFF_UP)
        let name = (3, Array("eth0\0".utf8))
        return NetworkMessage(type: isThere ? RTM_NEWLINK : RTM_DELLINK, header, [name])
    }

    private init(type: Int, _ fixed: some BitwiseCopyable, _ attributes: [(type: Int, value: [UInt8])]) {
        var content = Self.raw(fixed)
        for (type, value) in attributes {
            content += Self.raw(UInt16(4 + value.count)) + Self.raw(UInt16(type)) + value
            content += [UInt8](repeating: 0, count: (4 - content.count % 4) % 4)
        }
        let length = UInt32(MemoryLayout<nlmsghdr>.size + content.count)
        bytes =
            Self.raw(
                nlmsghdr(
                    nlmsg_len: length,
                    nlmsg_type: UInt16(type),
                    nlmsg_flags: 0,
                    nlmsg_seq: 0,
                    nlmsg_pid: 0
                )
            )
            + content
    }

    private static func raw(_ value: some BitwiseCopyable) -> [UInt8] {
        withUnsafeBytes(of: value) { Array($0) }
    }
}
