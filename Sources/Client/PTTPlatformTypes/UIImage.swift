public import Foundation

/// An image as the bytes of its file: the members of UIKit's class that channels and participants need.
///
/// The image is not decoded here, but by the program that shows it.
public final class UIImage: NSObject, Sendable {
    /// The bytes of the file.
    package let encoded: Data

    /// In pixels, from the header of a PNG, JPEG or GIF file; zero for any other file.
    public let size: CGSize

    /// Creates an image without data, which is not shown.
    override public init() {
        encoded = Data()
        size = .zero
    }

    /// Creates an image from the bytes of a file; nil if there are none.
    public init?(data: Data) {
        guard !data.isEmpty else { return nil }
        encoded = data
        size = ImageHeader.size(of: data) ?? .zero
    }

    /// Creates an image from a file; nil if it is empty or cannot be read.
    public convenience init?(contentsOfFile path: String) {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        self.init(data: data)
    }

    /// Creates an image from the first file called `name`, with or without `.png`, `.jpg`, `.jpeg`, `.webp`
    /// or `.gif`, in `$PTT_RESOURCES`, in the directory of the executable or in `Resources` there; nil if
    /// there is none.
    public convenience init?(named name: String) {
        let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent()
        let resources = ProcessInfo.processInfo.environment["PTT_RESOURCES"].map { [$0] } ?? []
        let directories = resources + [executable.path, executable.appendingPathComponent("Resources").path]
        self.init(name, in: directories)
    }

    /// Creates an image from the icon of this name in the desktop's `hicolor` theme; nil if there is none.
    /// The theme does not have the names of Apple's symbols.
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

    /// The bytes if they are a PNG file, otherwise nil; other formats are not converted.
    public func pngData() -> Data? {
        ImageHeader.isPNG(encoded) ? encoded : nil
    }

    /// The bytes if they are a JPEG file, otherwise nil. Nothing is converted, so that `compressionQuality`
    /// has no effect.
    public func jpegData(compressionQuality: CGFloat) -> Data? {
        ImageHeader.isJPEG(encoded) ? encoded : nil
    }
}

/// Reads the headers of image files.
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

    /// The frame header, one of the segments, has the size (ITU-T T.81, B.2.2).
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
