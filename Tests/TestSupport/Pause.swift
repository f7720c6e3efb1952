import EventLoop

/// Lets `duration` pass on the loop's clock. Only for things that give no event to wait for.
@EventLoop
package func pause(_ duration: Duration) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        var timer: TimerSource?
        timer = TimerSource {
            timer = nil
            continuation.resume()
        }
        timer?.arm(after: duration)
    }
}
