import PTTMessages

/// The roles of an accessory's inputs, after the enrolment has given some of them to others.
struct InputRoles: Equatable, Sendable {
    private let replaced: [ButtonRole: ButtonRole]
    /// The roles that each input reports.
    private var inputs: [RoleSet] = []
    /// The roles of which the accessory reports more than taps.
    private(set) var levels = RoleSet()
    /// The roles whose press and release are different keys, of which neither shows the level.
    private(set) var unpaired = RoleSet()

    init(of input: AccessoryInput, replacing replaced: [ButtonRole: ButtonRole]) {
        self.replaced = replaced
        for signals in input.tables { add(signals) }
        if case .keys(let input) = input {
            for case .down(let role) in input.meanings.values { unpaired.insert(self[role]) }
        }
    }

    subscript(role: ButtonRole) -> ButtonRole {
        guard !replaced.isEmpty else { return role }
        return replaced[role] ?? role
    }

    func mapped(_ roles: Set<ButtonRole>) -> RoleSet {
        var mapped = RoleSet()
        for role in roles { mapped.insert(self[role]) }
        return mapped
    }

    /// All roles that an input reports.
    func roles(of input: Int) -> RoleSet {
        inputs.indices.contains(input) ? inputs[input] : RoleSet()
    }

    var all: RoleSet { inputs.reduce(into: RoleSet()) { $0.formUnion($1) } }

    private mutating func add(_ signals: [Signal]) {
        var roles = RoleSet()
        for signal in signals {
            // The only level in a table is the release of all buttons.
            guard let role = signal.role else { continue }
            roles.insert(self[role])
            if case .down = signal { levels.insert(self[role]) }
        }
        inputs.append(roles)
    }
}
