package import EventLoop

/// Decides when a client tries to reach its daemon, and when it waits for the daemon's socket instead.
///
/// After a failed attempt or a lost connection the next attempt comes after a delay that doubles, and the
/// socket's path is watched. After ``attemptLimit`` failures in a row only a new socket, or a request, starts
/// another attempt, so that an absent daemon causes no wake-up. The last of those attempts is always made
/// while the path is watched: the attempt finds a socket that was there before it, the watch finds any later
/// one.
package struct Reconnection: Equatable, Sendable {
    package enum Event: Equatable, Sendable, CaseIterable {
        /// The connection is wanted from now on.
        case started
        /// Nothing accepted a connection at the socket's path.
        case attemptFailed
        /// The daemon has answered on the new connection.
        case answered
        /// The connection ended, whether or not the daemon had answered on it.
        case lost
        /// The delay of ``Effect/retry(after:)`` is over.
        case delayElapsed
        /// A socket has appeared at the path. Its daemon may not listen on it yet.
        case socketAppeared
        /// The client has a request for the daemon now.
        case requestMade
        /// The watch of ``Effect/watch`` could not be set.
        case watchFailed
        /// The connection is no longer wanted.
        case stopped
    }

    package enum Effect: Equatable, Sendable {
        /// Connect to the daemon, without the rest of a delay. Always the last effect of its list.
        case connect
        /// Watch the socket's path.
        case watch
        /// Report ``Event/delayElapsed`` after this time.
        case retry(after: Duration)
        /// End the watch and the delay, if there are any.
        case rest
    }

    /// A socket appears before its daemon listens on it, which takes a loaded machine some seconds: with the
    /// default delays the attempts cover ten.
    package static let attemptLimit = 8

    /// The attempts since the last answer.
    private struct Attempts: Equatable {
        var failures = 0
        var backOff: BackOff
        /// True if the socket's path is watched.
        var isWatched = false
    }

    private enum State: Equatable {
        case stopped
        /// The connection is being made, or made and not answered yet.
        case connecting(Attempts)
        case connected
        /// The next attempt comes after a delay.
        case waiting(Attempts)
        /// The next attempt comes with a new socket, which the watch reports, or with a request.
        case dormant
    }

    private let backOff: BackOff
    private var state = State.stopped

    /// - Parameter backOff: The delays between attempts.
    package init(backOff: BackOff = BackOff()) {
        self.backOff = backOff
    }

    package mutating func handle(_ event: Event) -> [Effect] {
        switch event {
        case .started: start()
        case .attemptFailed: attemptFailed()
        case .answered: answered()
        case .lost: lost()
        case .delayElapsed: delayElapsed()
        case .socketAppeared, .requestMade: connectNow()
        case .watchFailed: watchFailed()
        case .stopped: stop()
        }
    }

    private mutating func start() -> [Effect] {
        guard case .stopped = state else { return [] }
        state = .connecting(Attempts(backOff: backOff))
        return [.connect]
    }

    private mutating func attemptFailed() -> [Effect] {
        guard case .connecting(var attempts) = state else { return [] }
        attempts.failures += 1
        if attempts.isWatched, attempts.failures >= Self.attemptLimit {
            state = .dormant
            return []
        }
        return wait(attempts)
    }

    private mutating func answered() -> [Effect] {
        guard case .connecting = state else { return [] }
        state = .connected
        return [.rest]
    }

    private mutating func lost() -> [Effect] {
        switch state {
        case .connecting(var attempts):
            // Something listened. The delay still grows, so that a daemon that closes each connection is not
            // kept busy.
            attempts.failures = 0
            return wait(attempts)
        case .connected:
            return wait(Attempts(backOff: backOff))
        case .stopped, .waiting, .dormant:
            return []
        }
    }

    /// Sets the watch, unless it is set, and only then the delay: the next attempt is made while the path is
    /// watched.
    private mutating func wait(_ attempts: Attempts) -> [Effect] {
        var next = attempts
        let delay = next.backOff.next()
        next.isWatched = true
        state = .waiting(next)
        return (attempts.isWatched ? [] : [.watch]) + [.retry(after: delay)]
    }

    private mutating func delayElapsed() -> [Effect] {
        guard case .waiting(let attempts) = state else { return [] }
        state = .connecting(attempts)
        return [.connect]
    }

    /// Connects without the rest of the delay, and begins with the shortest delay again. An attempt that is
    /// being made may have reached an earlier daemon, which closes it: the next one comes soon too.
    private mutating func connectNow() -> [Effect] {
        switch state {
        case .connecting(let attempts):
            state = .connecting(Attempts(backOff: backOff, isWatched: attempts.isWatched))
            return []
        case .waiting(let attempts):
            state = .connecting(Attempts(backOff: backOff, isWatched: attempts.isWatched))
            return [.connect]
        case .dormant:
            state = .connecting(Attempts(backOff: backOff, isWatched: true))
            return [.connect]
        case .stopped, .connected:
            return []
        }
    }

    /// Without a watch the attempts go on, and each failure asks for the watch again. In another state no
    /// watch was asked for.
    private mutating func watchFailed() -> [Effect] {
        guard case .waiting(var attempts) = state else { return [] }
        attempts.isWatched = false
        state = .waiting(attempts)
        return []
    }

    private mutating func stop() -> [Effect] {
        state = .stopped
        return [.rest]
    }
}
