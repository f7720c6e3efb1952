import EventLoop

extension VirtualSourcePlan {
    enum Order: Hashable, Sendable {
        case load(VirtualSourceDefinition.Module)
        case unload(module: UInt32)
        case mute(sink: UInt32)
        /// The source itself, while it delivers something else than the feed and cannot be repaired.
        case muteSource(UInt32)
        case unmuteSource(UInt32)
        /// A stream of another program, away from the feed.
        case moveInput(UInt32, sink: UInt32)
        /// A recording stream, to a source of ours.
        case moveOutput(UInt32, source: UInt32, memory: String? = nil)
        /// The same for a stream that has it, so that the server holds it there. Some streams cannot be
        /// moved: they stay.
        case hold(UInt32, sources: [UInt32], memory: String? = nil)
        /// A line for PulseAudio's command line.
        case write(String, socket: String)
    }
}

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
        case .hold: "hold a stream at the virtual source"
        case .write: "write to the command line of the audio server"
        }
    }

    /// Asks the server for it. `completion` is called exactly once.
    @EventLoop
    func request(_ completion: @escaping @EventLoop (Result<Void, AudioError>) -> Void)
        -> any ConnectionRequest
    {
        func change(_ change: DeviceChange) -> ChangeRequest {
            ChangeRequest(action, change, completion: completion)
        }
        return switch self {
        case .load(let module): change(.load(module: module.name, argument: module.argument))
        case .unload(let module): change(.unload(module: module))
        case .mute(let sink): change(.muteSink(sink, true))
        case .muteSource(let source): change(.muteSource(source, true))
        case .unmuteSource(let source): change(.muteSource(source, false))
        case .moveInput(let input, let sink): change(.moveInput(input, sink: sink))
        case .moveOutput(let output, let source, let memory):
            OutputMove(action, output, to: [source], memory: memory, completion: completion)
        case .hold(let output, let sources, let memory):
            OutputMove(action, output, to: sources, memory: memory, completion: completion)
        case .write(let line, let socket):
            CommandLineRequest(action, line, socket: socket, completion: completion)
        }
    }

    /// True if a refusal is to be said.
    var isNeeded: Bool {
        switch self {
        case .hold, .write: false
        case .load, .unload, .mute, .muteSource, .unmuteSource, .moveInput, .moveOutput: true
        }
    }
}
