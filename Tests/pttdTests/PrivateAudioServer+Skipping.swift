import EventLoop
import TestSupport
import Testing

extension PrivateAudioServer {
    /// Skips the test where the server cannot run.
    static func startOrSkip(_ program: SoundServerProgram, fragments: [String] = []) async throws
        -> PrivateAudioServer
    {
        do {
            return try await start(program, fragments: fragments)
        } catch let error as NotUsable {
            print("skipped: \(program) cannot run here: \(error)")
            try Test.cancel("\(program) cannot run here: \(error)")
        }
    }
}
