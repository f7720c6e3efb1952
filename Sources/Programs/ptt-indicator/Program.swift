import EventLoop
import Glibc
import IndicatorCore
import Invocation
import Journal
import Logging
import PTTMessages
import TOML

/// `ptt-indicator`: shows the channel on the desktop. Core → session bus → panel.
@main
struct Program {
    static func main() {
        if CommandLine.arguments.dropFirst() == [PictureProgram.option] { exit(PictureProgram.run()) }
        Invocation(
            program: "ptt-indicator",
            abstract: "Shows the joined channel on the desktop, in the panel and in notifications.",
            debugLog: "Log every event and its effects."
        ).handleArguments()
        // For troubleshooting: `PTT_LOG=debug` logs every event and its effects.
        let log = Logger.journal("ptt-indicator", levelVariable: "PTT_LOG", isPrintable: \.isPrintable)
        exit(
            EventLoop.runDaemon {
                let (settings, unusable) = IndicatorSettings.load()
                for file in unusable {
                    log.error("\(file). A locked screen shows nothing, and no key talks")
                }
                let host = IndicatorHost(settings, log: log)
                host.start()
                // Ends the connection to the core first, and with it a transmission.
                return {
                    host.close()
                    EventLoop.exit(code: EXIT_SUCCESS)
                }
            } failed: {
                log.critical("\($0)")
            }
        )
    }
}
