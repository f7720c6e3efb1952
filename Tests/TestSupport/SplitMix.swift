import Foundation

/// A generator whose numbers follow from its seed (https://prng.di.unimi.it/splitmix64.c).
package struct SplitMix: RandomNumberGenerator, Sendable {
    package let seed: UInt64
    private var state: UInt64

    package init(state: UInt64) { (seed, self.state) = (state, state) }

    /// With other numbers in each run. The seed is printed; the next run has the same ones with it in
    /// `PTT_SEED`, which is that of the first part.
    package static func ofThisRun(part: Int = 0) -> SplitMix {
        let given = ProcessInfo.processInfo.environment["PTT_SEED"].flatMap { UInt64($0) }
        let seed = given.map { $0 &+ UInt64(part) } ?? UInt64.random(in: .min ... .max)
        print("PTT_SEED=\(seed)")
        return SplitMix(state: seed)
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
