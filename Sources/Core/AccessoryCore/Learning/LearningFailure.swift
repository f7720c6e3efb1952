package import PTTMessages

/// Why nothing was learned. Everything that is not clear is a failure: a wrong guess transmits while nobody
/// presses.
package enum LearningFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nothing was received while the button was pressed.
    case silent
    /// The step with this number shows no press, or too early or too late.
    case pressNotSeen(step: Int)
    case releaseNotSeen(step: Int)
    case twoPressesNotSeen(step: Int)
    /// A press was reported between the requests.
    case unaskedPress
    /// The presses last a few milliseconds, and are reported without a request: a dirty contact.
    case contact
    /// The value of a press consists of zeros.
    case inverted
    /// A press and a release send the same.
    case sameForBoth([UInt8])
    case onlyReleases
    /// The value that it sends changes with each press.
    case changing
    /// A value that was received only while the button was up; it is not known whether it also comes while it
    /// is held.
    case unclearValue([UInt8])
    /// A press that never shows its release, of which a part may change by nature: a press that is not
    /// recognised would not stop what an earlier one began.
    case mayChange([UInt8])
    /// A press comes with another message, this one, that may be what says which button it is.
    case inParts([UInt8])
    /// A press is several keys at once, each of which may be another button's as well.
    case severalKeys([UInt16])
    /// Released at once each time: the button sends pulses, or the person did not hold it.
    case shortPulses
    /// The same bytes also appear in what is not a press.
    case noise
    /// The result that was found does not explain the recording.
    case contradiction
    /// It does not explain the presses that were asked for to verify it.
    indirect case notVerified(LearningFailure)
    case flood

    /// For logs and scripts.
    package var description: String { text.english }

    package var text: Text {
        switch self {
        case .silent: Text("nothing was received while you pressed the button")
        case .pressNotSeen(let step):
            Text(
                "no press was received at step \(step) of \(LearningPlan.stepCount) within a second of the request"
            )
        case .releaseNotSeen(let step):
            Text(
                "step \(step) of \(LearningPlan.stepCount) shows no release within a second of the request to let go"
            )
        case .twoPressesNotSeen(let step):
            Text(
                "step \(step) of \(LearningPlan.stepCount) does not show two presses: press twice, a little more slowly"
            )
        case .unaskedPress: Text("it reported a press that was not asked for")
        case .contact:
            Text(
                "it reports presses of a few milliseconds by itself: its plug or its contact is dirty"
            )
        case .inverted: Text("it sends zeros when it is pressed, which always count as a release")
        case .sameForBoth(let value):
            Text(
                "it sends \(value.hexadecimal) both when pressed and when released"
            )
        case .onlyReleases: Text("it reports only that it is released, never that it is pressed")
        case .changing: Text("what it sends changes with each press: it counts, or it is encrypted")
        case .unclearValue(let value):
            Text(
                "it sent \(value.hexadecimal) a few times while it was not pressed, and it is not known what that means"
            )
        case .mayChange(let value):
            Text(
                "its press \(value.readable) may contain a number that changes, such as the charge of the battery"
            )
        case .inParts(let value):
            Text(
                "each press also sends \(value.readable): it is not known which of them says what was pressed"
            )
        case .severalKeys(let codes):
            Text(
                "each press is several keys at once (\(codes.map { keyText($0) }.joined(separator: ", "))), "
                    + "which other buttons may send as well"
            )
        case .shortPulses: Text("each press was over at once: hold the button as long as you are asked to")
        case .noise:
            Text(
                "it also sends other bytes, and its presses are too short to be told apart from them"
            )
        case .contradiction: Text("what it sends can be read in more than one way")
        case .notVerified(let failure): Text("the verification failed: \(failure.text)")
        case .flood: Text("it sends too much")
        }
    }
}

extension [UInt8] {
    /// A text, if it is one.
    fileprivate var readable: String {
        TextPadding.isText(self) && count > 1 ? TextPadding.text(self) : hexadecimal
    }
}
