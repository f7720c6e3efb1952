import EventLoop

extension VirtualSource {
    /// The reason for which it is not removed.
    package enum RemovalFailure: Error, Equatable, Sendable {
        /// The names of the applications that record from it: the server would move them to a live
        /// microphone.
        case recorded(by: [String])
        /// No module of this program makes it, but the configuration of the server.
        case configured
        case refused(AudioError)
    }

    /// Unloads the modules, also those of an earlier process. Afterwards there is no source until
    /// ``start()``.
    ///
    /// - Parameter completion: Called exactly once.
    package func remove(_ completion: @escaping @EventLoop (Result<Void, RemovalFailure>) -> Void) {
        server.list(Self.kinds) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let devices): remove(devices, completion)
            case .failure(let error): completion(.failure(.refused(error)))
            }
        }
    }

    private func remove(
        _ devices: AudioDevices,
        _ completion: @escaping @EventLoop (Result<Void, RemovalFailure>) -> Void
    ) {
        let found = VirtualSourceDevices(devices, definition)
        let recorders = found.allRecorderNames
        guard recorders.isEmpty else { return completion(.failure(.recorded(by: recorders))) }
        if let source = found.source, source.owner.module == nil { return completion(.failure(.configured)) }
        observation = nil
        plan = VirtualSourcePlan(definition, commandSocket: server.commandSocket)
        lose()
        update(.unavailable(reason: "it was removed"))
        // It is loaded for a moment only, but nobody unloads it after this moment.
        let commandLine = server.commandSocket.flatMap {
            found.index(of: VirtualSourceDefinition.commandLineModule(at: $0))
        }
        unload((found.allModules + [commandLine].compactMap(\.self))[...], completion)
    }

    /// One after the other: a module may be gone with the one before it.
    private func unload(
        _ modules: ArraySlice<UInt32>,
        _ completion: @escaping @EventLoop (Result<Void, RemovalFailure>) -> Void
    ) {
        guard let module = modules.first else { return completion(.success(())) }
        server.change("unload the module \(module)", .unload(module: module)) { [weak self] result in
            guard let self else { return }
            if case .failure(let error) = result, error.kind != .noDevice {
                return completion(.failure(.refused(error)))
            }
            unload(modules.dropFirst(), completion)
        }
    }
}
