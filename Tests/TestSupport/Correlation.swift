/// How much two sounds are alike for each shift of the second one: 1 if they are the same but for their
/// loudness, -1 if one is the other upside down. What lies beyond an end of the other counts as different.
package func correlations(_ one: [Int16], _ other: [Int16], shifts: Range<Int>) -> [Double] {
    let norm = (energy(one) * energy(other)).squareRoot()
    guard norm > 0 else { return [] }
    return shifts.map { shift in
        var product = 0
        for index in max(0, -shift)..<max(max(0, -shift), min(one.count, other.count - shift)) {
            product += Int(one[index]) * Int(other[index + shift])
        }
        return Double(product) / norm
    }
}

private func energy(_ samples: [Int16]) -> Double {
    samples.reduce(0) { $0 + Double($1) * Double($1) }
}
