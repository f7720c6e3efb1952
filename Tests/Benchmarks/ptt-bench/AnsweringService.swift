import EventLoop
import Varlink

/// Our server in a process of its own, with one method without parameters and results.
@EventLoop
enum AnsweringService {
    static let method = "org.pushtotalk.Bench.Empty"

    private static let text = """
        # For measuring.
        interface org.pushtotalk.Bench

        method Empty() -> ()
        """
    private static var server: VarlinkServer?

    nonisolated static func run(at path: String) -> Int32 {
        EventLoop.run {
            let info = VarlinkServiceInfo(vendor: "", product: "ptt-bench", version: "", url: "")
            let interface = VarlinkInterface(text, methods: ["Empty": { $0.reply() }])
            let server = VarlinkServer(info, [interface]) { line, _ in complain(line) }
            do throws(SystemError) {
                try server.listen(on: try UnixSocket.listen(at: path, .stream))
                self.server = server
            } catch {
                complain("\(error)")
                EventLoop.exit(code: 1)
            }
        }
    }
}
