import AccessoryCore
import AccessoryFiles
import PTTMessages
import TestSupport
import Testing

/// The files of `Sources/Accessories`.
enum Shipped {
    static func all() throws -> [AccessoryDefinition] {
        try DataFile.all(in: "../../Sources/Accessories", beside: #filePath, extension: "toml").map { file in
            try AccessoryDefinition(toml: file.text, identifier: String(file.name.dropLast(".toml".count)))
        }
    }
}

@Suite struct ShippedFileTests {
    @Test func `every file is valid, has a name of its own, its source and a recording`() throws {
        let files = try Shipped.all()
        #expect(files.count >= 6)
        #expect(Set(files.map(\.name)).count == files.count)
        for file in files {
            #expect(!file.evidence.isEmpty, "\(file.identifier)")
            #expect(!file.examples.isEmpty, "\(file.identifier)")
        }
    }

    @Test func `the frames of a simulated press and release are what the decoder reads`() throws {
        for file in try Shipped.all() {
            for role in file.roles {
                let frames = file.frames(pressing: role)
                #expect(!frames.isEmpty, "\(file.identifier) cannot press \(role.fileText)")
                #expect(
                    file.frames(releasing: role).isEmpty == file.isTapOnly(role)
                        || file.frames(releasing: role) != frames,
                    "\(file.identifier) \(role.fileText)"
                )
            }
        }
    }
}
