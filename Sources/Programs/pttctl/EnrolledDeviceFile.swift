import AccessoryCore
import AccessoryFiles
import CommandLineTool
import EventLoop
import Invocation
import PTTMessages

/// `devices.toml` of this user, below which is that of the machine, with what a person can do about a file
/// that cannot be used.
enum EnrolledDeviceFile {
    /// The user's entry, or else the machine's, or else a new one.
    static func enrolment(of identity: DeviceIdentity) throws -> Enrolment {
        for path in EnrolmentFile.paths.reversed() {
            if let found = try contents(of: path).enrolments.first(where: { $0.identity == identity }) {
                return found
            }
        }
        return Enrolment(identity)
    }

    private static func contents(of path: String) throws -> EnrolmentFile.Contents {
        do {
            return try EnrolmentFile.read(path)
        } catch {
            throw CommandError(localized("\(path) cannot be used: \("\(error)")"))
        }
    }

    static func set(_ enrolment: Enrolment) throws {
        try edit { try $0.set(enrolment) }
    }

    /// - Returns: True if it was enrolled.
    /// - Throws: If it still is, for all users of the machine.
    static func remove(_ identity: DeviceIdentity) throws -> Bool {
        var wasEnrolled = false
        try edit { wasEnrolled = try $0.remove(identity) }
        for path in EnrolmentFile.paths where path != EnrolmentFile.path {
            guard try contents(of: path).enrolments.contains(where: { $0.identity == identity }) else {
                continue
            }
            let device = identity.text
            throw CommandError(
                localized("\(path) enrols \(device) for all users: only its entry there can be removed")
            )
        }
        return wasEnrolled
    }

    private static func edit(_ change: (inout EnrolmentText) throws -> Void) throws {
        guard let path = EnrolmentFile.path else {
            throw CommandError(
                localized("neither XDG_CONFIG_HOME nor HOME is set: there is no place to enrol devices")
            )
        }
        do {
            try EnrolmentFile.edit(path, change)
        } catch {
            throw CommandError("\(path): \(error)")
        }
    }
}
