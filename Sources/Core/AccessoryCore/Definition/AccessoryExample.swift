package import PTTMessages

/// A recording of an accessory, and what must come of it: the test of its file.
package struct AccessoryExample: Equatable, Sendable {
    package struct Step: Equatable, Sendable {
        package enum Action: Equatable, Sendable {
            /// A notification of the input with this index.
            case notify([UInt8], input: Int)
            case receive([UInt8])
            /// Service data of ``BTHome`` that is not encrypted.
            case advertise([UInt8])
            case key(UInt16, isPressed: Bool)
            /// The link is lost, or the device is removed.
            case lose
        }

        package enum Outcome: Hashable, Sendable {
            case begin(ButtonRole)
            case end(ButtonRole)
            /// A button that does not transmit was pressed, or released.
            case press(ButtonRole)
            case release(ButtonRole)
        }

        package let action: Action
        /// The time since the previous step.
        package let delay: Duration
        /// In this order; nothing else.
        package let outcomes: [Outcome]
    }

    package let title: String
    package let steps: [Step]
}
