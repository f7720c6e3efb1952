import PTTMessages

extension LearnedInput {
    /// An accessory file for the device that was learned, and no other one, with the recording that it was
    /// learned from as the example.
    ///
    /// - Returns: The definition, which has not been read from a file yet.
    package func definition(
        identifier: String,
        for device: DeviceDescription,
        from recording: LearningRecording
    ) -> AccessoryDefinition {
        var definition = AccessoryDefinition(
            identifier: identifier,
            name: device.writableName ?? identifier,
            confidence: .learned,
            match: match(of: device),
            input: input,
            gesture: gesture
        )
        definition.examples = [recording.example(of: definition)]
        return definition
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
            case .advertisements: AccessoryMatch(services: [BTHome.service], addresses: [address])
            case .keys: AccessoryMatch(names: device.namePatterns)
            }
        case .input(let transport, let product, _):
            AccessoryMatch(
                names: device.namePatterns,
                products: product == ProductID(vendor: 0, product: 0) ? [] : [product],
                transports: [transport]
            )
        }
    }
}

extension DeviceDescription {
    /// Devices choose their names: one that an accessory file cannot have is left out.
    fileprivate var writableName: String? {
        name.flatMap {
            $0.isPrintable && !$0.isEmpty && $0.utf8.count <= AccessoryFile.Limit.characters ? $0 : nil
        }
    }

    fileprivate var namePatterns: [String] {
        writableName.flatMap { $0.contains("*") ? nil : [$0] } ?? []
    }
}

extension LearningRecording {
    /// No more than a person reads.
    private static let mostExampleSteps = 40

    /// Compares what the machine of accessories does with the recording with what the person was asked for:
    /// begin with a press, and end with its release, or with the next press.
    package func check(_ definition: AccessoryDefinition) throws(LearningFailure) {
        let toggles = definition.mode == .toggle
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
        try (toggles ? PressPattern.tapped : .held).check(presses, against: steps)
    }

    /// The first holds and the double press, at the times at which they were recorded.
    fileprivate func example(of definition: AccessoryDefinition) -> AccessoryExample {
        let begin = steps.first?.press.lowerBound ?? began
        let end = steps.prefix(3).last?.release.upperBound ?? ended
        var run = ExampleRun(definition)
        var exampleSteps: [AccessoryExample.Step] = []
        var last: Int64 = 0
        for frame in frames where begin <= frame.time && frame.time <= end {
            guard exampleSteps.count < Self.mostExampleSteps, let action = definition.input.action(of: frame)
            else { continue }
            // As a file writes and reads it, so that its replay is this one.
            let time = Int64((frame.time - begin) / .milliseconds(1))
            let delay = Duration.seconds(Double(time - last) / 1000)
            last = time
            let outcomes = run.perform(action, after: delay)
            exampleSteps.append(AccessoryExample.Step(action: action, delay: delay, outcomes: outcomes))
        }
        let title = "two holds and a double press, as they were learned"
        return AccessoryExample(title: title, steps: exampleSteps)
    }
}
