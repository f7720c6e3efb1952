public import Foundation

/// A picture, as its encoded bytes: the part of UIKit's class that channels and participants need.
///
/// Nothing is decoded here. Whoever shows the picture does that.
public final class UIImage: NSObject, Sendable {
    private let bytes: Data

    /// In pixels, as the file says; zero for a kind of file whose header is not known.
    public let size: CGSize

    /// A picture of nothing: people see none.
    override public init() {
        bytes = Data()
        size = .zero
    }

    /// - Parameter data: An image file. Nil if there is nothing in it.
    public init?(data: Data) {
        guard !data.isEmpty else { return nil }
        bytes = data
        size = ImageHeader.size(of: data) ?? .zero
    }

    /// Reads an image file.
    public convenience init?(contentsOfFile path: String) {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        self.init(data: data)
    }

    /// Looks for `name`, with `.png`, `.jpg`, `.jpeg`, `.webp` or `.gif` or as it stands, in `$PTT_RESOURCES`, in the
    /// directory of the executable and in its `Resources`.
    public convenience init?(named name: String) {
        let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent()
        let resources = ProcessInfo.processInfo.environment["PTT_RESOURCES"].map { [$0] } ?? []
        let directories = resources + [executable.path, executable.appendingPathComponent("Resources").path]
        self.init(name, in: directories)
    }

    /// Looks for a picture of this name in the icon theme of the desktop. Names of Apple's symbols are not known there.
    public convenience init?(systemName name: String) {
        let variable = ProcessInfo.processInfo.environment["XDG_DATA_DIRS"] ?? ""
        let shared = variable.isEmpty ? "/usr/local/share:/usr/share" : variable
        let directories = shared.split(separator: ":").flatMap { directory in
            ["256x256", "128x128", "64x64", "48x48"].flatMap { size in
                ["apps", "status", "devices", "actions"].map { "\(directory)/icons/hicolor/\(size)/\($0)" }
            }
        }
        self.init(name, in: directories)
    }

    private convenience init?(_ name: String, in directories: [String]) {
        let endings = ["", ".png", ".jpg", ".jpeg", ".webp", ".gif"]
        for directory in directories {
            for ending in endings {
                guard let data = FileManager.default.contents(atPath: "\(directory)/\(name)\(ending)") else {
                    continue
                }
                self.init(data: data)
                return
            }
        }
        return nil
    }

    /// The bytes if they are a PNG file; nothing is converted.
    public func pngData() -> Data? {
        ImageHeader.isPNG(bytes) ? bytes : nil
    }

    /// The bytes if they are a JPEG file; nothing is converted, so that the quality is what it is.
    public func jpegData(compressionQuality: CGFloat) -> Data? {
        ImageHeader.isJPEG(bytes) ? bytes : nil
    }

    /// The file as it came.
    package var encoded: Data { bytes }
}

/// What the headers of image files say.
enum ImageHeader {
    static func isPNG(_ data: Data) -> Bool { data.starts(with: [0x89, 0x50, 0x4E, 0x47]) }

    static func isJPEG(_ data: Data) -> Bool { data.starts(with: [0xFF, 0xD8, 0xFF]) }

    static func size(of data: Data) -> CGSize? {
        let bytes = [UInt8](data.prefix(1 << 16))
        if isPNG(data) { return png(bytes) }
        if isJPEG(data) { return jpeg(bytes) }
        if data.starts(with: Array("GIF8".utf8)) { return gif(bytes) }
        return nil
    }

    /// The first chunk is `IHDR` with width and height (PNG specification, 11.2.2).
    private static func png(_ bytes: [UInt8]) -> CGSize? {
        guard bytes.count >= 24 else { return nil }
        return CGSize(width: bigEndian(bytes[16..<20]), height: bigEndian(bytes[20..<24]))
    }

    /// Segments, of which the frame header has the size (ITU-T T.81, B.2.2).
    private static func jpeg(_ bytes: [UInt8]) -> CGSize? {
        var index = 2
        while index + 9 < bytes.count, bytes[index] == 0xFF {
            let marker = bytes[index + 1]
            if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
                return CGSize(
                    width: bigEndian(bytes[(index + 7)..<(index + 9)]),
                    height: bigEndian(bytes[(index + 5)..<(index + 7)])
                )
            }
            index += 2 + bigEndian(bytes[(index + 2)..<(index + 4)])
        }
        return nil
    }

    /// The logical screen descriptor (GIF89a, 18).
    private static func gif(_ bytes: [UInt8]) -> CGSize? {
        guard bytes.count >= 10 else { return nil }
        return CGSize(
            width: bigEndian(bytes[6..<8].reversed()),
            height: bigEndian(bytes[8..<10].reversed())
        )
    }

    private static func bigEndian(_ bytes: some Collection<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}
