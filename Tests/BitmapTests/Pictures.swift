import Foundation

/// Files made byte by byte, so that their headers can say what no encoder writes.
enum Pictures {
    /// 16 by 16 pixels of 0x00C800, without loss.
    static let webp = bytes(
        """
        UklGRhwAAABXRUJQVlA4TA8AAAAvD8ADAAdQ5Ij+ByKi/wEA
        """
    )

    /// As above, with loss.
    static let lossyWebP = bytes(
        """
        UklGRjgAAABXRUJQVlA4ICwAAADQAQCdASoQABAAAsBMJaACdLoB+AADsAD+0Mr/ylXgsbo8/+fmd24v5zAAAA==
        """
    )

    /// 16 by 16 pixels of one grey.
    static let jpeg = bytes(
        """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQ\
        ERMUFRUVDA8XGBYUGBIUFRT/wAALCAAQABABAREA/8QAFQABAQAAAAAAAAAAAAAAAAAAAAX/xAAUEAEAAAAAAAAAAAAAAAAA\
        AAAA/9oACAEBAAA/AIQD/9k=
        """
    )

    private static func bytes(_ base64: String) -> [UInt8] { Array(Data(base64Encoded: base64) ?? Data()) }

    /// White, in 8 bits of grey; with the pixels of at most 4 by 2, whatever the header says.
    static func png(width: Int, height: Int) -> [UInt8] {
        let rows: [UInt8] = [0, 255, 255, 255, 255, 0, 255, 255, 255, 255]
        // A stream of zlib with one stored block.
        let size = UInt16(rows.count)
        var data: [UInt8] = [0x78, 0x01, 0x01] + little(size) + little(~size) + rows
        data += big(adler(rows))
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", big(UInt32(width)) + big(UInt32(height)) + [8, 0, 0, 0, 0])
            + chunk("IDAT", data) + chunk("IEND", [])
    }

    /// Headers and empty scans.
    static func jpeg(width: Int, height: Int, scans: Int) -> [UInt8] {
        var bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xC2, 0, 11, 8]
        bytes += big(UInt16(height)) + big(UInt16(width)) + [1, 1, 0x11, 0]
        for _ in 0..<scans { bytes += [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 0, 0] }
        return bytes + [0xFF, 0xD9]
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + data
        return big(UInt32(data.count)) + body + big(crc(body))
    }

    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        var crc = UInt32.max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }

    private static func adler(_ bytes: [UInt8]) -> UInt32 {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }

    private static func big<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    private static func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}
