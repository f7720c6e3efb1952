// ptt-echo: a complete small application on the library PushToTalk. Copy it and put your network where it plays its
// recording back.
//
// It joins a channel, records each transmission, and answers it: a remote participant called "Echo" says the same again.
// Press a button, or run `pttctl talk --for 3s`, and listen. `pttctl leave` ends it.

import Dispatch
import PushToTalk

@main
struct Program {
    @MainActor
    static func main() async {
        // Callbacks come on this queue. On the main queue, everything of this application happens on the main actor.
        PTChannelManager.pttCallbackQueue = .main
        let echo = Echo()
        await echo.start()
        // The manager holds its delegates weakly: somebody else has to keep them.
        await echo.untilItEnds()
    }
}
