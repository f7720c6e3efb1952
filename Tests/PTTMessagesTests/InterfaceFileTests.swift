import Foundation
import PTTMessages
import Testing

/// The interfaces as files, for those who write a client in another language: `Documentation/interfaces`.
/// With `PTT_RECORD` in the environment they are written; a test whose file changes by this fails.
struct InterfaceFileTests {
    private static let folder = URL(filePath: #filePath).appending(path: "../../../Documentation/interfaces")
        .standardized

    private static let texts = [
        ChannelInterface.name: ChannelInterface.description,
        ApplicationInterface.name: ApplicationInterface.description,
        PushInterface.name: PushInterface.description,
        AccessoryInterface.name: AccessoryInterface.description,
    ]

    @Test(arguments: texts.keys.sorted())
    func `the file of an interface has the text that the daemon serves`(name: String) throws {
        let text = try #require(Self.texts[name]) + "\n"
        let file = Self.folder.appending(path: "\(name).varlink")
        // There is no file for what is new.
        let earlier = try? String(contentsOf: file, encoding: .utf8)
        if ProcessInfo.processInfo.environment["PTT_RECORD"] != nil, earlier != text {
            try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(earlier == text, "PTT_RECORD=1 swift test --filter InterfaceFileTests, read the difference")
    }

    @Test func `there is no file of another interface`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(names) == Set(Self.texts.keys.map { "\($0).varlink" }))
    }
}
