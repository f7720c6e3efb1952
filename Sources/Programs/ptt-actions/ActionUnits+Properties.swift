import AccessoryCore
import DBus
import EventLoop
import PTTMessages

/// The properties of units (systemd.service(5), systemd.exec(5)).
extension ActionUnits {
    /// For each of: the command of a press that was told to end, and that of the release.
    private static let stopTimeout = Duration.seconds(5)

    /// Of the unit of a press.
    static func properties(_ button: ActionPresses.Button, _ commands: Action.Commands) -> BusValue {
        var properties = common(button)
        properties += [
            ("RemainAfterExit", .boolean(true)),
            ("Type", .string(commands.hold == nil ? "oneshot" : "simple")),
        ]
        // A service needs a command. If it fails the action goes on all the same, until its release.
        let begin = commands.press ?? commands.hold ?? ["true"]
        properties.append(("ExecStartEx", command(begin, ["ignore-failure"])))
        if let release = commands.release {
            properties.append(("ExecStopPostEx", command(release)))
        }
        // Set by the unit of this program; one that was started by hand has none.
        if let own = Environment.variable("PTT_UNIT") {
            properties += [("BindsTo", .strings([own])), ("After", .strings([own]))]
        }
        return value(properties)
    }

    /// Of the unit of a command that reads a file.
    static func properties(
        _ reader: Action.Command,
        _ file: BusDescriptor,
        _ button: ActionPresses.Button,
        _ limit: Duration
    ) -> BusValue {
        value(
            common(button) + [
                ("Type", .string("oneshot")),
                ("ExecStartEx", command(reader)),
                ("StandardInputFileDescriptor", .descriptor(file)),
                ("TimeoutStartUSec", microseconds(limit)),
            ]
        )
    }

    private static func common(_ button: ActionPresses.Button) -> [(String, BusValue)] {
        let role = button.role.fileText
        return [
            ("Description", .string("Action of a push-to-talk button (\(role))")),
            ("Slice", .string("app.slice")),
            // A service manager that starts isolates its default target, which would cancel it.
            ("IgnoreOnIsolate", .boolean(true)),
            ("Environment", .strings(["PTT_DEVICE=\(button.device.assigned)", "PTT_BUTTON=\(role)"])),
            ("TimeoutStopUSec", microseconds(stopTimeout)),
        ]
    }

    private static func microseconds(_ duration: Duration) -> BusValue {
        .uint64(UInt64(duration.components.seconds) * 1_000_000)
    }

    private static func value(_ properties: [(String, BusValue)]) -> BusValue {
        .array(of: "(sv)", properties.map { .structure([.string($0.0), .variant($0.1)]) })
    }

    /// Its arguments stay as they are: the service manager would put in variables.
    private static func command(_ command: Action.Command, _ flags: [String] = []) -> BusValue {
        let program = command.first ?? ""
        let execution = BusValue.structure([
            .string(program), .strings(command), .strings(flags + ["no-env-expand"]),
        ])
        return .array(of: "(sasas)", [execution])
    }
}

extension Action.Recording {
    /// Speech recognition takes this rate as a rule; a person who keeps a recording may want more.
    var format: AudioFormat {
        switch self {
        case .folder: .standard
        case .command: AudioFormat(rate: 16_000, channels: 1) ?? .standard
        }
    }

    /// The command that reads the WAV file. One that writes it to a folder gives it its name when it is
    /// whole, and replaces none.
    func command(of role: ButtonRole) -> Action.Command {
        switch self {
        case .command(let command): command
        case .folder(let folder):
            ["sh", "-c", Self.script, "sh", Self.expanded(folder), role.fileText]
        }
    }

    private static let script = """
        umask 077 && mkdir -p -- "$1" && file="$1/$(date "+%Y-%m-%d %H.%M.%S.%3N") $2.wav" \
        && part="$file.part" && { cat > "$part" && sync -- "$part" && mv -n -- "$part" "$file" \
        && [ ! -e "$part" ] || { rm -f -- "$part"; exit 1; }; }
        """

    private static func expanded(_ folder: String) -> String {
        guard folder.hasPrefix("~/"), let home = Environment.variable("HOME") else { return folder }
        return home + folder.dropFirst()
    }
}

extension String {
    /// As the value of a variable, in which the service manager refuses control characters.
    fileprivate var assigned: String {
        String(String.UnicodeScalarView(unicodeScalars.filter { $0.properties.generalCategory != .control }))
    }
}
