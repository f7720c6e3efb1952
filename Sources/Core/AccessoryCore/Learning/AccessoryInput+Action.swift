extension AccessoryInput {
    /// Returns the action that a frame is for this input; nil if it comes from elsewhere.
    package func action(of frame: LearningFrame) -> AccessoryExample.Step.Action? {
        switch (self, frame.content) {
        case (.gatt(let inputs), .notified(let value, let attribute)):
            inputs.firstIndex { $0.attribute == attribute }.map { .notify(value, input: $0) }
        case (.serial(let input), .received(let bytes, let serviceClass)):
            input.serviceClass == serviceClass ? .receive(bytes) : nil
        case (.keys(let input), .key(let code, let isPressed)):
            input.meanings[code] == nil ? nil : .key(code, isPressed: isPressed)
        case (.gatt, _), (.serial, _), (.advertisements, _), (.keys, _): nil
        }
    }
}
