package import ArgumentParser

/// Options of every command.
package struct OutputOptions: ParsableArguments, Sendable {
    @Flag(help: "Print JSON, one value per line.")
    package var json = false

    package init() {}
}

/// The options of `pttctl doctor`, which reads them before it hands them to `ptt-doctor`.
package struct DoctorOptions: ParsableArguments, Sendable {
    @OptionGroup package var output: OutputOptions

    @Option(help: "Record from the microphone for this time, for example 1s, and report the loudest sample.")
    package var record: TimeSpan?

    @Option(help: ArgumentHelp("Read files below this directory.", visibility: .private))
    package var root = ""

    package init() {}
}

/// A duration on the command line: `3s`, `500ms`, `2m`.
package struct TimeSpan: ExpressibleByArgument, Sendable {
    package let duration: Duration

    package init?(argument: String) {
        let units: [(String, Double)] = [("ms", 0.001), ("s", 1), ("m", 60)]
        guard let (suffix, scale) = units.first(where: { argument.hasSuffix($0.0) }),
            let number = Double(argument.dropLast(suffix.count)), number > 0, number * scale <= 86_400
        else { return nil }
        duration = .seconds(number * scale)
    }
}
