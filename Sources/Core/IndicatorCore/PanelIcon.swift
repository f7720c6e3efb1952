/// The icons of the tray item that are no person's picture: white in a disc, drawn here, because the themes
/// of desktops differ in what they have and a name that is missing shows nothing. Each has a shape of its own
/// for those who see no difference between the colours.
package enum PanelIcon: CaseIterable, Sendable {
    /// A microphone that is struck out: nobody hears this machine.
    case idle
    /// A loudspeaker: somebody speaks who has no picture.
    case speaker
    /// A microphone.
    case microphoneOpen

    /// The sizes that panels use, and twice that for screens with many pixels.
    package static let sizes = [22, 44]

    /// Red is for the open microphone alone.
    package var colour: (red: UInt8, green: UInt8, blue: UInt8) {
        switch self {
        case .idle: (0x6B, 0x72, 0x7C)
        case .speaker: (0x1D, 0x7A, 0xD1)
        case .microphoneOpen: (0xD9, 0x1E, 0x2A)
        }
    }

    /// The pixels in a square of this size: red, green, blue and alpha, a byte each, not premultiplied, in
    /// rows from the top.
    package func rgba(size: Int) -> [UInt8] {
        var rgba: [UInt8] = []
        rgba.reserveCapacity(size * size * 4)
        // Distances are in pixels, so that each edge is one pixel soft in every size.
        let scale = Double(size) / 22
        for row in 0..<size {
            for column in 0..<size {
                let x = Double(column) + 0.5 - Double(size) / 2
                let y = Double(row) + 0.5 - Double(size) / 2
                let disc = Self.coverage((x * x + y * y).squareRoot() - 10.5 * scale)
                let glyph = Self.coverage(shape(x / scale, y / scale) * scale)
                rgba.append(Self.mix(colour.red, 0xFF, glyph))
                rgba.append(Self.mix(colour.green, 0xFF, glyph))
                rgba.append(Self.mix(colour.blue, 0xFF, glyph))
                rgba.append(UInt8((255 * disc).rounded()))
            }
        }
        return rgba
    }

    /// The signed distance to what is white, in a square of 22 around the origin; negative inside.
    private func shape(_ x: Double, _ y: Double) -> Double {
        switch self {
        case .idle:
            // The stroke from one corner to the other has a margin in the colour of the disc.
            let stroke = max(abs(x - y) / 2.0.squareRoot() - 0.8, abs(x + y) / 2.0.squareRoot() - 9)
            return min(max(Self.microphone(x, y), 1.2 - stroke), stroke)
        case .speaker: return Self.loudspeaker(x, y)
        case .microphoneOpen: return Self.microphone(x, y)
        }
    }

    /// A box with a cone on its right, and two waves.
    private static func loudspeaker(_ x: Double, _ y: Double) -> Double {
        let box = max(abs(x + 5) - 1.6, abs(y) - 2.2)
        let cone = max(max(-4.2 - x, x - 0.6), abs(y) - 2.2 - (x + 3.4) * 0.9)
        let radius = ((x - 0.2) * (x - 0.2) + y * y).squareRoot()
        let waves = min(abs(radius - 3.6), abs(radius - 6.4)) - 0.7
        return min(min(box, cone), max(waves, abs(y) - (x - 0.2)))
    }

    /// The signed distance to a microphone on its stand, in a square of 22 around the origin; negative
    /// inside.
    private static func microphone(_ x: Double, _ y: Double) -> Double {
        let body = capsule(x, y, from: -4.6, to: -0.6, radius: 2.4)
        // The lower half of a ring around the body.
        let ring = abs((x * x + (y + 0.6) * (y + 0.6)).squareRoot() - 4.4) - 0.65
        let holder = max(ring, -(y + 0.6))
        let stem = capsule(x, y, from: 3.8, to: 6.4, radius: 0.65)
        let foot = max(abs(x) - 2.6, abs(y - 6.5) - 0.65)
        return min(min(body, holder), min(stem, foot))
    }

    /// The distance to a vertical line with round ends.
    private static func capsule(_ x: Double, _ y: Double, from top: Double, to bottom: Double, radius: Double)
        -> Double
    {
        let nearest = min(max(y, top), bottom)
        return (x * x + (y - nearest) * (y - nearest)).squareRoot() - radius
    }

    private static func coverage(_ distance: Double) -> Double { min(1, max(0, 0.5 - distance)) }

    private static func mix(_ back: UInt8, _ front: UInt8, _ part: Double) -> UInt8 {
        UInt8((Double(back) * (1 - part) + Double(front) * part).rounded())
    }
}
