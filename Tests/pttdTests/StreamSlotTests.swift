import PTTCore
import PTTMessages
import Testing

@testable import pttd

@Suite struct StreamSlotTests {
    private let first = CaptureID(rawValue: 1)
    private let second = CaptureID(rawValue: 2)
    private let sink = FrameSink.client(ClientID(rawValue: 1))

    @Test func `a closing closes, also one that comes twice or names a capture that was never opened`() {
        var slot = StreamSlot<CaptureID, FrameSink>()
        var closings = [slot.close(first)]
        slot.open(first)
        slot.connect(first, to: sink)
        closings.append(slot.close(first))
        #expect(slot.peer == nil)
        closings.append(slot.close(first))
        slot.open(first)
        closings.append(slot.close(second))
        #expect(closings == [true, true, true, true])
    }

    @Test func `orders about a capture that another has replaced leave the other alone`() {
        var slot = StreamSlot<CaptureID, FrameSink>()
        slot.open(first)
        slot.connect(first, to: sink)
        slot.open(second)
        #expect(slot.peer == nil)
        slot.connect(first, to: sink)
        #expect(slot.peer == nil)
        slot.connect(second, to: sink)
        slot.disconnect(first)
        let isFirstClosed = slot.close(first)
        #expect(!isFirstClosed && slot.peer == sink)
        let isSecondClosed = slot.close(second)
        #expect(isSecondClosed && slot.peer == nil)
    }

    @Test func `frames go nowhere before the capture is open, and after they are stopped`() {
        var slot = StreamSlot<CaptureID, FrameSink>()
        slot.connect(first, to: sink)
        #expect(slot.peer == nil)
        slot.open(first)
        slot.connect(first, to: sink)
        slot.disconnect(first)
        #expect(slot.peer == nil)
        slot.connect(first, to: sink)
        slot.disconnect(second)
        #expect(slot.peer == nil)
    }
}
