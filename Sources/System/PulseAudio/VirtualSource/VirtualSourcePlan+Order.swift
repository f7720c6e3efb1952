extension VirtualSourcePlan.Order {
    /// Completes "could not …".
    var action: String {
        switch self {
        case .load(let module): "load \(module.name)"
        case .unload: "unload a module of the virtual source"
        case .mute: "mute the feed of the virtual source"
        case .muteSource: "mute the virtual source"
        case .unmuteSource: "unmute the virtual source"
        case .moveInput: "move a stream away from the feed of the virtual source"
        case .moveOutput: "move a stream to the virtual source"
        }
    }

    var change: DeviceChange.Change {
        switch self {
        case .load(let module): .load(module: module.name, argument: module.argument)
        case .unload(let module): .unload(module: module)
        case .mute(let sink): .muteSink(sink, true)
        case .muteSource(let source): .muteSource(source, true)
        case .unmuteSource(let source): .muteSource(source, false)
        case .moveInput(let input, let sink): .moveInput(input, sink: sink)
        case .moveOutput(let output, let source): .moveOutput(output, source: source)
        }
    }
}
