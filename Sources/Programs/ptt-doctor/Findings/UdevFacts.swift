import CommandLineTool
import Input
import PTTMessages

/// The facts about what udev does with headsets.
struct UdevFacts: Equatable, Sendable {
    static let rule = "71-push-to-talk.rules"

    /// A file of that name.
    struct RuleFile: Equatable, Sendable {
        var path: String
        /// A link to `/dev/null` or an empty file, which switches the rule off.
        var isMask: Bool
    }

    /// By precedence: udev reads only the first (udev(7)).
    var rules: [RuleFile]
    /// The event nodes that may be those of headsets.
    var nodes: [InputNode]
    /// In the group `input`, whose members read all keyboards.
    var isInInputGroup: Bool

    /// At least the line of the rule. ``SeatFacts/isAtSeat`` is nil if it is not known.
    func findings(isAtSeat: Bool?) -> [Finding] {
        ruleFinding + untagged + unreadable(isAtSeat) + group
    }

    private static let trigger = Cure.command("sudo udevadm trigger -s input -c change")

    private var ruleFinding: [Finding] {
        guard let first = rules.first else {
            return Check.udevRule.failure(
                Text("\(Self.rule) is not installed: no wired headset is recognised"),
                cure: .reinstall
            )
        }
        let removal = Cure.command("sudo rm \(ShellArgument(first.path)) && sudo udevadm control --reload")
        if first.isMask {
            let text = Text("\(first.path) masks the rule: no wired headset is recognised")
            return Check.udevRule.failure(text, cure: removal)
        }
        if let hidden = rules.dropFirst().first {
            return Check.udevRule.warning(
                Text("\(first.path) is used in place of \(hidden.path)"),
                cure: removal
            )
        }
        return Check.udevRule.ok(Text("\(first.path) is installed"))
    }

    private var untagged: [Finding] {
        let names = nodes.filter { !$0.isTagged }.map(\.name)
        guard !names.isEmpty, rules.first?.isMask == false else { return [] }
        return Check.headset.warning(
            Text("plugged in before the rule was there: \(names.joined(separator: ", "))"),
            cure: Self.trigger
        )
    }

    private func unreadable(_ isAtSeat: Bool?) -> [Finding] {
        let tagged = nodes.filter(\.isTagged)
        let unreadable = tagged.filter { !$0.isReadable }
        if tagged.isEmpty { return [] }
        if unreadable.isEmpty {
            let names = tagged.map { "\($0.name) (\($0.devnode))" }.joined(separator: ", ")
            return Check.headset.ok(Text(verbatim: names))
        }
        let names = unreadable.map { "\($0.name) (\($0.devnode))" }.joined(separator: ", ")
        if isAtSeat == false {
            return Check.headset.warning(
                Text("only the person at the screen may read \(names)"),
                cure: .advice(Text("log in at the screen to use a wired headset"))
            )
        }
        return Check.headset.failure(Text("this user may not read \(names)"), cure: Self.trigger)
    }

    private var group: [Finding] {
        guard isInInputGroup else { return [] }
        return Check.headset.warning(
            Text(
                "a member of the group input: every program of this user reads what is typed, and push-to-talk needs it not"
            ),
            cure: .command("sudo gpasswd --delete \"$USER\" input")
        )
    }
}

extension InputNode {
    /// The rule has run for it, and chosen it.
    var isTagged: Bool { tags.contains("push-to-talk") }
}
