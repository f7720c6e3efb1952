import AccessoryCore
import AccessoryFiles
import Foundation
import PTTMessages
import TOML
import TestSupport
import Testing

/// Each shape is learned from a person's presses, written as a file, read, and used: nothing transmits
/// without a press or beyond its release, whatever else the device sends.
@Suite struct LearnedShapeTests {
    @Test(arguments: LearnedShape.all.map(\.name))
    func `a learned button is never wrong, whatever arrives beside its presses`(_ name: String) throws {
        let shape = try #require(LearnedShape.all.first { $0.name == name })
        for seed in 0..<6 {
            var session = LearningSession(shape.button, .attentive, seed: UInt64(seed))
            switch session.run(transport: shape.transport) {
            case .failure(let failure):
                if ProcessInfo.processInfo.environment["PTT_SHAPES"] != nil, seed == 0 {
                    print("SHAPE \(name): refused, \(failure)")
                }
                #expect(shape.isLearned != true, "seed \(seed): \(failure)")
                #expect(failure != .contradiction, "seed \(seed): a reason that says nothing")
            case .success((let learned, let recording)):
                if ProcessInfo.processInfo.environment["PTT_SHAPES"] != nil, seed == 0 {
                    print("SHAPE \(name): learned, \(learned.facts)")
                }
                #expect(shape.isLearned != false, "seed \(seed): \(learned.facts)")
                let definition = try file(of: learned, from: recording, for: shape.device)
                var replay = ShapeReplay(shape, definition)
                replay.pressInEveryWay()
                #expect(replay.mistakes.prefix(3) == [], "seed \(seed): \(definition.fileText)")
                #expect(replay.felt > 1, "seed \(seed): no press is felt")
            }
        }
    }

    /// As `pttctl learn` writes it, and as ptt-accessoryd reads it.
    private func file(
        of learned: LearnedInput,
        from recording: LearningRecording,
        for device: DeviceDescription
    ) throws
        -> AccessoryDefinition
    {
        let definition = learned.definition(identifier: "learned", for: device, from: recording)
        let read = try AccessoryDefinition(toml: definition.fileText, identifier: "learned")
        #expect(read.failedExamples() == [], "\(definition.fileText)")
        return read
    }
}
