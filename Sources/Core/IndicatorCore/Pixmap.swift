/// A square picture of red, green, blue and alpha, a byte each, not premultiplied, in rows from the top.
package struct Pixmap: Equatable, Sendable {
    package let size: Int
    package let rgba: [UInt8]

    /// - Parameters:
    ///   - size: The number of rows and columns.
    ///   - rgba: `size * size * 4` bytes.
    package init(size: Int, rgba: [UInt8]) {
        precondition(rgba.count == size * size * 4)
        self.size = size
        self.rgba = rgba
    }

    /// The bytes of a tray item's pixmap: A, R, G, B.
    package var argb: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: rgba.count)
        for start in stride(from: 0, to: rgba.count, by: 4) {
            bytes[start] = rgba[start + 3]
            bytes[start + 1] = rgba[start]
            bytes[start + 2] = rgba[start + 1]
            bytes[start + 3] = rgba[start + 2]
        }
        return bytes
    }

    /// The picture within a circle, as people are shown.
    package var round: Pixmap {
        var bytes = rgba
        let middle = Double(size) / 2
        for row in 0..<size {
            for column in 0..<size {
                let x = Double(column) + 0.5 - middle
                let y = Double(row) + 0.5 - middle
                let coverage = min(1, max(0, middle - (x * x + y * y).squareRoot() + 0.5))
                let alpha = (row * size + column) * 4 + 3
                bytes[alpha] = UInt8((Double(bytes[alpha]) * coverage).rounded())
            }
        }
        return Pixmap(size: size, rgba: bytes)
    }
}
