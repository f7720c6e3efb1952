import PTTMessages

extension LearnedInput {
    /// An accessory file for the device that was learned, and no other one, with its recording as the example.
    ///
    /// - Parameters:
    ///   - identifier: The name of the file without `.toml`.
    ///   - device: What the file is to match.
    ///   - recording: What was learned from.
    /// - Returns: The definition, which has not been read from a file yet.
    /// - Throws: ``LearningFailure/contradiction``, if the machine of accessories does not do with the recording what the
    ///   person was asked for: begin with a press, and end with its release, or with the next press.
    package func definition(
        identifier: String,
        for device: DeviceDescription,
        from recording: LearningRecording
    ) throws(LearningFailure) -> AccessoryDefinition {
        let bare = definition(identifier: identifier, for: device, examples: [])
        try recording.check(bare, toggles: gesture.mode == .toggle)
        return definition(identifier: identifier, for: device, examples: [recording.example(of: bare)])
    }

    private func definition(identifier: String, for device: DeviceDescription, examples: [AccessoryExample])
        -> AccessoryDefinition
    {
        AccessoryDefinition(
            identifier: identifier,
            name: device.name ?? identifier,
            confidence: .learned,
            match: match(of: device),
            input: input,
            gesture: gesture,
            examples: examples
        )
    }

    /// A service or a name alone would also match devices that send something else.
    private func match(of device: DeviceDescription) -> AccessoryMatch {
        switch device.link {
        case .bluetooth(let address, _):
            switch input {
            case .gatt(let inputs):
                AccessoryMatch(
                    services: Set(inputs.map(\.attribute.service)).count == 1
                        ? inputs.prefix(1).map(\.attribute.service) : [],
                    addresses: [address]
                )
            case .serial(let input): AccessoryMatch(services: [input.serviceClass], addresses: [address])
            case .keys: AccessoryMatch(names: device.name.map { [$0] } ?? [])
            }
        case .input(let transport, let product, _):
            AccessoryMatch(
                names: device.name.map { [$0] } ?? [],
                products: product == ProductID(vendor: 0, product: 0) ? [] : [product],
                transports: [transport]
            )
        }
    }
}

extension LearningRecording {
    /// No more than a person reads.
    private static let mostExampleSteps = 40

    /// Compares what the machine of accessories does with the recording with what the person was asked for.
    package func check(_ definition: AccessoryDefinition, toggles: Bool) throws(LearningFailure) {
        var run = ExampleRun(definition, from: began)
        var presses: [TimedPress] = []
        for frame in frames {
            guard let action = definition.input.action(of: frame) else { continue }
            for outcome in run.perform(action, at: frame.time) {
                let event: PressEvent
                switch outcome {
                case .begin(.talk): event = toggles ? .tap : .down
                case .end(.talk): event = toggles ? .tap : .up
                case .begin, .end, .press, .release: throw .contradiction
                }
                presses.append(TimedPress(event: event, time: frame.time))
            }
        }
        do throws(LearningFailure) {
            try (toggles ? PressPattern.tapped : .held).check(presses, against: steps)
        } catch {
            throw .contradiction
        }
    }

    /// The first holds and the double press.
    fileprivate func example(of definition: AccessoryDefinition) -> AccessoryExample {
        let begin = steps.first?.press.lowerBound ?? began
        let end = steps.prefix(3).last?.release.upperBound ?? ended
        var run = ExampleRun(definition, from: begin)
        var exampleSteps: [AccessoryExample.Step] = []
        var last: MonotonicTime?
        for frame in frames where begin <= frame.time && frame.time <= end {
            guard exampleSteps.count < Self.mostExampleSteps, let action = definition.input.action(of: frame)
            else { continue }
            let delay = last.map { frame.time - $0 } ?? .seconds(1)
            let milliseconds = Int64(delay / .milliseconds(1))
            let time = (last ?? begin) + .milliseconds(milliseconds)
            last = time
            exampleSteps.append(
                AccessoryExample.Step(
                    action,
                    after: .milliseconds(milliseconds),
                    outcomes: run.perform(action, at: time)
                )
            )
        }
        return AccessoryExample("two holds and a double press, as they were learned", exampleSteps)
    }
}
