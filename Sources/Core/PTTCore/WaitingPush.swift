import PTTMessages

/// A push that the application has received and has not answered.
struct WaitingPush: Equatable, Sendable {
    /// More than an application can process within the time limit.
    static let limit = 16
    static let warningTime = Duration.seconds(2)

    let push: Push
    /// The time at which to log that the application is slow; nil once that is done.
    var warning: MonotonicTime?
    /// The time at which to give up.
    let limit: MonotonicTime

    init(_ push: Push, deliveredAt now: MonotonicTime) {
        self.push = push
        limit = now + Self.timeLimit(push.kind)
        warning = now + Self.warningTime
    }

    var deadline: MonotonicTime { warning ?? limit }

    /// An answer that opens the speaker must come immediately; processing data may take as long as Apple's
    /// systems give an application in the background.
    private static func timeLimit(_ kind: PushKind) -> Duration {
        switch kind {
        case .pushToTalk, .unknown: .seconds(5)
        case .serviceUpdate: .seconds(30)
        }
    }
}

/// Service updates of high priority: six in any hour, as with Apple's push service.
struct PushBudget: Equatable, Sendable {
    static let size = 6
    static let window = Duration.seconds(3600)

    private var spent: [MonotonicTime] = []

    mutating func remaining(at now: MonotonicTime) -> Int {
        spent.removeAll { $0 + Self.window <= now }
        return Self.size - spent.count
    }

    mutating func spend(at now: MonotonicTime) {
        spent.append(now)
    }
}
