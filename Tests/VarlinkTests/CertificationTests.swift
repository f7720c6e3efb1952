import EventLoop
import Foundation
import JSON
import TestSupport
import Testing
import Varlink

/// Against the reference implementation in Python (<https://varlink.org/Language-Bindings>).
@Suite(.serialized) struct CertificationTests {
    init() { withRunningLoop() }

    @Test @EventLoop func `the reference client passes certification against our server`() async throws {
        let python = try await PythonVarlink.installed()
        let path = "\(python.directory)/ours-\(getpid()).sock"
        let server = try certificationServer(description: python.certificationDescription)
        try server.listen(on: try UnixSocket.listen(at: path, .stream))
        defer {
            server.stop()
            unlink(path)
        }
        let (status, lines) = try await python.run(["--client", "--varlink=unix:\(path)"]).output()
        #expect(status == 0)
        #expect(lines.contains("End: {'all_ok': True}"), "\(lines.joined(separator: "\n"))")
        #expect(lines.contains("Certification passed"))
        print("org.varlink.certification passed: reference client, our server")
    }

    @Test @EventLoop func `our client passes certification against the reference server`() async throws {
        let python = try await PythonVarlink.installed()
        let path = "\(python.directory)/theirs-\(getpid()).sock"
        defer { unlink(path) }
        let server = try python.run(["--varlink=unix:\(path)"])
        _ = try await server.lines.first(within: .seconds(30)) { $0.hasPrefix("Listening on") }
        let client = try VarlinkClient(connectingTo: path)
        try await certify(client)
        print("org.varlink.certification passed: our client, reference server")
    }

    @Test @EventLoop func `our client passes certification against our server`() async throws {
        let server = try certificationServer(description: "interface org.varlink.certification\n")
        let (near, far) = try UnixSocket.pair(.stream)
        try server.serve(OwnedDescriptor(adopting: far))
        try await certify(try VarlinkClient(adopting: OwnedDescriptor(adopting: near)))
    }

    /// Makes each call with the parameters of the reply before it, and compares the replies with the expected
    /// ones.
    @EventLoop
    private func certify(_ client: VarlinkClient) async throws {
        var parameters = try await client.call("\(Certification.interface).Start")
        let identifier = try #require(parameters["client_id"])
        for step in Certification.steps {
            let method = "\(Certification.interface).\(step.method)"
            parameters["client_id"] = identifier
            switch step.kind {
            case .call: parameters = try await client.call(method, JSONText(parameters))
            case .oneway:
                client.callOneway(method, JSONText(parameters))
                parameters = [:]
            case .more:
                let replies = try await client.replies(to: method, JSONText(parameters))
                parameters = ["last_more_replies": .array(try replies.map { try #require($0["string"]) })]
            }
            guard step.kind == .call, let expected = step.answers.first else { continue }
            var answer = Certification.withoutNulls(parameters)
            answer["client_id"] = nil
            #expect(answer == expected, "\(step.method)")
        }
        #expect(parameters["all_ok"] == true)
    }

    /// A server that checks each call as the reference server does.
    @EventLoop
    private func certificationServer(description: String) throws -> VarlinkServer {
        // The text of the reference declares its methods; ours for the test in one process must declare them
        // too.
        let methods = ["Start"] + Certification.steps.map(\.method)
        let declarations = methods.map { "method \($0)() -> ()\n" }.joined()
        let text = description.contains("method Start") ? description : description + declarations
        var position = 0
        let handler: VarlinkInterface.Handler = { call in
            if call.method == "Start" {
                position = 0
                return call.reply(["client_id": "42"])
            }
            let step = Certification.steps[position]
            var expected = step.parameters
            expected["client_id"] = "42"
            let kind: Certification.Kind = call.wantsMore ? .more : call.isOneway ? .oneway : .call
            guard step.method == call.method, step.kind == kind,
                Certification.withoutNulls(call.parameters) == expected
            else {
                let wants: JSONObject = ["method": .string(step.method), "parameters": .object(expected)]
                let got: JSONObject = [
                    "method": .string(call.method), "parameters": .object(call.parameters),
                ]
                let parameters: JSONObject = ["wants": .object(wants), "got": .object(got)]
                return call.fail(VarlinkError("\(Certification.interface).CertificationError", parameters))
            }
            position = (position + 1) % Certification.steps.count
            for (index, answer) in step.answers.enumerated() {
                call.reply(JSONText(answer), continues: index + 1 < step.answers.count)
            }
            if step.answers.isEmpty { call.reply() }
        }
        let handlers = Dictionary(uniqueKeysWithValues: methods.map { ($0, handler) })
        let interface = VarlinkInterface(text, methods: handlers)
        let info = VarlinkServiceInfo(
            vendor: "Test",
            product: "Test",
            version: "1",
            url: "https://example.org"
        )
        return VarlinkServer(info, [interface]) { line, _ in Issue.record("\(line)") }
    }
}
