import Glibc
import Input

extension UdevFacts {
    /// By precedence. Debian 12's udev does not look below /usr/local; the last two are one directory on most
    /// systems.
    private static let directories = ["/etc", "/run", "/usr/lib", "/lib"]

    static func observed(on host: Host) -> UdevFacts {
        let nodes = headsets(among: InputNode.present(in: "input"))
        return UdevFacts(rules: rules(on: host), nodes: nodes, isInInputGroup: isInInputGroup)
    }

    private static func rules(on host: Host) -> [RuleFile] {
        var files: [RuleFile] = []
        var known: [(dev_t, ino_t)] = []
        for directory in directories {
            let path = "\(directory)/udev/rules.d/\(rule)"
            var found = stat()
            // A link to /dev/null leads out of a test's root.
            guard stat(host.path(path), &found) == 0 else { continue }
            let isMask = found.st_mode & S_IFMT == S_IFCHR || found.st_size == 0
            guard isMask || !known.contains(where: { $0 == (found.st_dev, found.st_ino) }) else { continue }
            known.append((found.st_dev, found.st_ino))
            files.append(RuleFile(path: path, isMask: isMask))
        }
        return files
    }

    /// One for each headset. The keys of one that ptt-keys has divided arrive at its halves.
    static func headsets(among nodes: [InputNode]) -> [InputNode] {
        let halves = nodes.filter { $0.half != nil && $0.isTagged }
        let whole = nodes.filter { $0.half == nil && $0.mayBeHeadset }
        return whole.sorted { $0.devnode < $1.devnode }.map { node in
            var node = node
            let own = halves.filter { $0.half?.of == node.sysname }
            if !own.isEmpty { node.isReadable = own.allSatisfy(\.isReadable) }
            return node
        }
    }

    private static var isInInputGroup: Bool {
        guard getuid() != 0, let group = getgrnam("input") else { return false }
        var groups = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
        let count = getgroups(Int32(groups.count), &groups)
        return groups.prefix(max(0, Int(count))).contains(group.pointee.gr_gid)
    }
}

extension InputNode {
    /// As far as it can be said without udev's rule: what the rule chose, and the shapes of headsets that it
    /// would choose.
    fileprivate var mayBeHeadset: Bool {
        guard sysname.hasPrefix("event") else { return false }
        if isTagged { return true }
        let others = ["ID_INPUT_MOUSE", "ID_INPUT_TOUCHPAD", "ID_INPUT_TABLET", "ID_INPUT_KEYBOARD"]
        guard !others.contains(where: { properties[$0] == "1" }), properties["ID_PTT_ACCESSORY"] != "0"
        else { return false }
        if phys == "ALSA" { return !keys.isEmpty }
        guard properties["ID_INPUT_KEY"] == "1" else { return false }
        return name.contains("Headset") || (id.bus == ID.bluetooth && name.hasSuffix(" (AVRCP)"))
    }
}
