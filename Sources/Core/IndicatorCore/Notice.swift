/// The notification.
package enum Notice {
    /// What a notification shows.
    package struct Content: Equatable, Sendable {
        package var summary: String
        package var body: String
        /// A picture that is ready.
        package var imageID: String?
        package var actions: [Action]

        package init(summary: String, body: String, imageID: String? = nil, actions: [Action] = []) {
            self.summary = summary
            self.body = body
            self.imageID = imageID
            self.actions = actions
        }
    }

    package enum Action: String, CaseIterable, Sendable {
        case talk
        case stop
        case leave
    }

    /// Why a notification was closed (Desktop Notifications Specification, `NotificationClosed`).
    package enum ClosingReason: UInt32, Sendable {
        case expired = 1
        case dismissed = 2
        case closedByCall = 3
        case undefined = 4
    }
}
