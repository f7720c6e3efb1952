import EventLoop

/// Gives the event loop its thread; call it in the initialiser of every suite that uses `@EventLoop`.
package func withRunningLoop() {
    EventLoop.startOnOwnThread()
}
