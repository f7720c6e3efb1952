import AccessoryCore
import PTTMessages

/// The buttons of an accessory that are down, and what it sends when one changes.
struct HeldButtons {
    let definition: AccessoryDefinition
    private var roles: Set<ButtonRole> = []

    init(_ definition: AccessoryDefinition) {
        self.definition = definition
    }

    /// - Returns: What it sends now, in this order. Empty if it never reports the release.
    /// - Throws: If it has no such button.
    mutating func set(_ role: ButtonRole, isPressed: Bool) throws(CommandError) -> [AccessoryExample.Step
        .Action]
    {
        guard definition.roles.contains(role) else {
            throw CommandError(description: "\(definition.name) has no button \(role.fileText)")
        }
        roles.remove(role)
        let others = roles
        if isPressed { roles.insert(role) }
        if isPressed { return definition.frames(pressing: role, while: others) }
        return definition.isTapOnly(role) ? [] : definition.frames(releasing: role, while: others)
    }
}
