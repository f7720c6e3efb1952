// The output to peers that read at any pace: whole messages in order, whatever is dropped in between.
//
// module JSON: Sources/System/JSON/*.swift
// module Varlink: Sources/System/Varlink/OutputQueue.swift Sources/System/Varlink/VarlinkLimits.swift
// longest 8192
// seed \0|\005|\007\0

import JSON

@testable import Varlink

/// Each pair of bytes is an operation and its size.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    var limits = VarlinkLimits()
    limits.backlogBytes = 40_000
    limits.backlogMessages = 20
    var queue = OutputQueue(limits: limits)
    var reader = Reader()
    for index in stride(from: 0, to: input.count - 1, by: 2) {
        let amount = Int(input[index + 1])
        switch input[index] % 8 {
        case 0..<3: reader.expect(amount, isKept: reader.append(amount, to: &queue), limits)
        case 3: reader.expect(amount * 100, isKept: reader.append(amount * 100, to: &queue), limits)
        case 4..<7: reader.read(amount * (input[index] < 128 ? 1 : 64), from: &queue)
        default:
            queue.dropUnbegun()
            reader.dropUnbegun()
        }
        reader.check(queue)
    }
    reader.read(.max, from: &queue)
    precondition(queue.isEmpty && reader.isEmpty && queue.extraBytes == 0, "Something is left")
    return 0
}

/// The messages that a peer must receive.
private struct Reader {
    private var number = 0
    private var expected: [[UInt8]] = []
    /// Bytes of the first that have been read.
    private var begun = 0

    var isEmpty: Bool { expected.isEmpty }

    func message(_ size: Int) -> JSONObject {
        ["n": .int(Int64(number)), "x": .string(String(repeating: "x", count: size))]
    }

    func append(_ size: Int, to queue: inout OutputQueue) -> Bool {
        queue.append {
            message(size).write(to: &$0)
            $0.append(0)
        }
    }

    mutating func expect(_ size: Int, isKept: Bool, _ limits: VarlinkLimits) {
        var bytes: [UInt8] = []
        message(size).write(to: &bytes)
        bytes.append(0)
        number += 1
        let waiting = expected.reduce(0) { $0 + $1.count } - begun
        let hasRoom = expected.count < limits.backlogMessages && waiting + bytes.count <= limits.backlogBytes
        precondition(isKept == hasRoom, "A limit does not hold")
        if isKept { expected.append(bytes) }
    }

    mutating func dropUnbegun() {
        expected = begun > 0 ? Array(expected.prefix(1)) : []
    }

    mutating func read(_ most: Int, from queue: inout OutputQueue) {
        let bytes = queue.withUnsent { Array($0.prefix(most)) }
        queue.remove(bytes.count)
        for byte in bytes {
            precondition(expected.first?[begun] == byte, "Another byte")
            begun += 1
            if begun == expected[0].count {
                expected.removeFirst()
                begun = 0
            }
        }
    }

    func check(_ queue: OutputQueue) {
        let waiting = expected.reduce(0) { $0 + $1.count } - begun
        precondition(queue.withUnsent { $0.count } == waiting, "Not as many bytes as must be sent")
        precondition(queue.isEmpty == isEmpty)
    }
}
