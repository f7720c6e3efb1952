import AccessoryCore
import AccessoryFiles
import CommandLineTool
import EventLoop

/// `devices.toml` of this user, with what a person can do about a file that cannot be used.
enum EnrolledDeviceFile {
    static func enrolment(of identity: DeviceIdentity) throws -> Enrolment? {
        let path = try path
        do {
            let text = try TextFile.read(path, limit: EnrolmentFile.sizeLimit) ?? ""
            return try EnrolmentFile.parse(text).enrolments.first { $0.identity == identity }
        } catch {
            throw CommandError("\(path) cannot be used: \(error)")
        }
    }

    static func set(_ enrolment: Enrolment) throws {
        try edit { try $0.set(enrolment) }
    }

    /// - Returns: Whether it was enrolled.
    static func remove(_ identity: DeviceIdentity) throws -> Bool {
        var wasEnrolled = false
        try edit { wasEnrolled = try $0.remove(identity) }
        return wasEnrolled
    }

    private static var path: String {
        get throws {
            if let path = EnrolmentFile.path { return path }
            throw CommandError("neither XDG_CONFIG_HOME nor HOME is set: there is no place to enrol devices")
        }
    }

    private static func edit(_ change: (inout EnrolmentText) throws -> Void) throws {
        let path = try path
        do {
            try EnrolmentFile.edit(path, change)
        } catch {
            throw CommandError("\(path) stays as it is: \(error)")
        }
    }
}
