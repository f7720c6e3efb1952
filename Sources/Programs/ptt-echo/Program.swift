// ptt-echo: a complete small application of the library PushToTalk. To make a radio of it, send the recorded
// frames to your server and play those that come from there.
//
// It joins a channel, records each transmission, and plays it back as the remote participant "Echo". Hold a
// button, or run `pttctl talk --for 3s`, and listen. `pttctl leave` ends it.

import Dispatch
import Invocation
import PushToTalk

@main
struct Program {
    @MainActor
    static func main() async {
        // `--version` and `--help`, as all programs of this package have them. An application of your own has
        // its own.
        Invocation(
            program: "ptt-echo",
            abstract: "A push-to-talk application that plays each transmission back."
        ).handleArguments()
        // The manager calls its delegate on this queue. On the main queue, all of this application runs on
        // the main actor.
        PTChannelManager.pttCallbackQueue = .main
        let echo = Echo()
        await echo.start()
        // The manager holds its delegates weakly: this variable keeps them alive.
        await echo.runUntilEnd()
    }
}
