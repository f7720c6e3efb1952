/// The encoded bytes of a picture for a channel or a speaker, as an application gave them.
///
/// The core neither decodes nor shows pictures: it keeps them for clients that do.
package struct Image: Hashable, Sendable {
    /// The largest picture that the core keeps, in bytes.
    package static let sizeLimit = 256 * 1024

    package let bytes: [UInt8]
    /// Stands for the picture in the status and in events, so that these stay small.
    package let summary: ImageSummary

    /// Why a picture is not kept.
    package enum Unusable: Error, Equatable, Sendable, CustomStringConvertible {
        case tooLarge(byteCount: Int)
        case notAnImage
        case notBase64

        package var description: String {
            switch self {
            case .tooLarge(let byteCount):
                "the image has \(byteCount) bytes, more than the \(Image.sizeLimit) that are kept"
            case .notAnImage: "the image is neither PNG, JPEG, GIF nor WebP"
            case .notBase64: "the image is not base64"
            }
        }
    }

    /// - Parameter bytes: A PNG, JPEG, GIF or WebP file, recognised by its first bytes.
    /// - Throws: ``Unusable`` for any other file, or one that is too large.
    package init(_ bytes: [UInt8]) throws(Unusable) {
        guard bytes.count <= Self.sizeLimit else { throw .tooLarge(byteCount: bytes.count) }
        guard Self.isImage(bytes) else { throw .notAnImage }
        self.bytes = bytes
        summary = ImageSummary(imageID: Self.imageID(bytes), byteCount: bytes.count)
    }

    /// - Parameter base64: The form on the sockets.
    /// - Throws: ``Unusable``
    package init(base64: String) throws(Unusable) {
        guard base64.utf8.count <= (Self.sizeLimit + 2) / 3 * 4 else {
            throw .tooLarge(byteCount: base64.utf8.count / 4 * 3)
        }
        guard let bytes = Base64.decode(base64) else { throw .notBase64 }
        try self.init(bytes)
    }

    package var base64: String { Base64.encode(bytes) }

    /// FNV-1a over the bytes: equal pictures have equal identifiers, so that a subscriber fetches each once.
    private static func imageID(_ bytes: [UInt8]) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return String(hexadecimal: hash, digits: 16)
    }

    private static func isImage(_ bytes: [UInt8]) -> Bool {
        let signatures: [[UInt8]] = [[0x89, 0x50, 0x4E, 0x47], [0xFF, 0xD8, 0xFF], Array("GIF8".utf8)]
        if signatures.contains(where: { bytes.starts(with: $0) }) { return true }
        return bytes.starts(with: "RIFF".utf8) && bytes.dropFirst(8).starts(with: "WEBP".utf8)
    }
}

/// The identifier and the size of a picture; `GetImage` replies with its bytes.
package struct ImageSummary: Hashable, Codable, Sendable {
    package let imageID: String
    package let byteCount: Int

    package init(imageID: String, byteCount: Int) {
        self.imageID = imageID
        self.byteCount = byteCount
    }
}

/// As base64.
extension Image: Codable {
    package init(from decoder: any Decoder) throws {
        try self.init(base64: decoder.singleValueContainer().decode(String.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(base64)
    }
}
