/// GNOME Shell shows its microphone symbol for each stream that records, unless its `application.id` is that
/// of one of two volume controls, which record to show a level (`_maybeShowInput` in
/// js/ui/status/volume.js). The stream by which PulseAudio's remapped source records the silent feed is
/// always there, and is to show none.
extension VirtualSourcePlan {
    static let volumeControl = "org.PulseAudio.pavucontrol"
    /// The server carries a line out a moment after it was written. The times between several add up to a
    /// second.
    private static let lineLimit = 6

    /// PulseAudio: gives the stream this identifier. `module-remap-source` has no argument for it, and a
    /// client can set properties of its own streams only: what remains is a line of the server's command
    /// line, which is loaded for it, and unloaded.
    mutating func hide(_ found: VirtualSourceDevices, _ source: AudioDevice, _ step: inout Step) {
        guard !found.isPipeWire, let commandSocket, let link = found.link(of: source) else { return }
        let commandLine = VirtualSourceDefinition.commandLineModule(at: commandSocket)
        let line = Order.write(
            "update-source-output-proplist \(link.index) application.id=\(Self.volumeControl)",
            socket: commandSocket
        )
        let isHidden = link.applicationID == Self.volumeControl
        if isHidden { linesWritten = 0 }
        let loaded = found.index(of: commandLine)
        let order: Order?
        if isHidden || linesWritten == Self.lineLimit || refusals[line] != nil {
            order = loaded.map { .unload(module: $0) }
        } else {
            order = loaded == nil ? Order.load(commandLine) : line
        }
        guard let order, refusals[order] == nil else { return }
        if order == line { linesWritten += 1 }
        step.isHolding = true
        step.orders.append(order)
    }
}
