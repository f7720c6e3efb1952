import EventLoop

/// Gives the event loop its thread; call it in the initialiser of every suite that uses `@EventLoop`.
package func withRunningLoop() {
    EventLoop.startOnOwnThread()
}

/// A part of this machine that a test needs does not do what it should.
package struct NotUsable: Error, CustomStringConvertible {
    package let description: String
}
