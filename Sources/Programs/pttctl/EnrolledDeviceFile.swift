import AccessoryCore
import AccessoryFiles

/// `devices.toml` of this user, with what a person can do about a file that cannot be edited.
enum EnrolledDeviceFile {
    static func set(_ enrolment: Enrolment) throws {
        try edit { try $0.set(enrolment) }
    }

    static func remove(_ identity: DeviceIdentity) throws {
        try edit { try $0.remove(identity) }
    }

    private static func edit(_ change: (inout EnrolmentText) throws -> Void) throws {
        guard let path = EnrolmentFile.path else {
            throw CommandError("neither XDG_CONFIG_HOME nor HOME is set: there is no place to enrol devices")
        }
        do {
            try EnrolmentFile.edit(path, change)
        } catch {
            throw CommandError("\(path) stays as it is: \(error)")
        }
    }
}
