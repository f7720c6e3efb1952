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
        switch input {
        case .gatt(let inputs):
            for input in inputs { add(input.decoder.signals) }
        case .serial(let input):
            add(input.tokens.tokens.flatMap(\.signals))
        case .advertisements(let decoder): add(decoder.signals)
        case .keys(let input):
            add(input.meanings.values.flatMap(\.signals))
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

    var all: RoleSet {
        var all = RoleSet()
        for roles in inputs { all.formUnion(roles) }
        return all
    }

    private mutating func add(_ signals: [Signal]) {
        var roles = RoleSet()
        for signal in signals {
            switch signal {
            case .down(let role):
                roles.insert(self[role])
                levels.insert(self[role])
            case .level(let down):
                for role in down {
                    roles.insert(self[role])
                    levels.insert(self[role])
                }
            case .up(let role), .tap(let role), .arm(let role), .fire(let role): roles.insert(self[role])
            case .alive, .battery, .uncertain, .unknown: break
            }
        }
        inputs.append(roles)
    }
}
