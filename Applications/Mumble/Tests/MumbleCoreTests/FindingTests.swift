import SwiftProtobuf
import Testing

@testable import MumbleCore

@Suite struct FindingTests {
    private func lines(_ test: TestSession) -> [String] { test.session.findings().flatMap(\.lines) }

    @Test func `what cures a finding is below it`() {
        #expect(Finding.ok(.voice, "it goes by UDP").lines == ["ok       voice: it goes by UDP"])
        #expect(
            Finding.failure(.names, "others may read it", cure: .command("chmod 600 file")).lines
                == ["failure  names: others may read it", "         $ chmod 600 file"]
        )
        #expect(
            Finding.warning(.server, "it is full", cure: .advice("come again")).lines
                == ["warning  server: it is full", "         → come again"]
        )
    }

    @Test func `a certificate of ours that has expired is a warning`() {
        let end = 2_400_000_000
        #expect(
            Finding.identity("file", until: end, now: end - 1)
                == .ok(.identity, "file is valid until 2046-01-19")
        )
        #expect(Finding.identity("file", until: end, now: end).severity == .warning)
    }

    @Test func `a server that is not reached yet is no failure, and nothing is settled`() throws {
        let test = try TestSession()
        #expect(lines(test).first == "warning  server: host:64738 is being connected to")
        #expect(!test.session.isSettled)
    }

    @Test func `in the channel, what is missing is the way of voice`() throws {
        var test = try TestSession()
        test.join()
        #expect(
            lines(test) == ["ok       server: host:64738 answers", "ok       channel: ann may talk in Ops"]
        )
        #expect(!test.session.isSettled)
    }

    @Test func `a channel that has it decided in another way who talks says so`() throws {
        var test = try TestSession()
        test.join()
        _ = test.say(
            .channelState(
                .with {
                    $0.channelID = 3
                    $0.description_p = "push-to-talk: full-duplex"
                }
            )
        )
        let text = "ann may talk in Ops: full duplex, all who talk are heard"
        #expect(lines(test).last == "ok       channel: \(text)")
    }

    @Test func `UDP that is not answered within two seconds is a warning, and is no failure`() throws {
        var test = try TestSession()
        test.join()
        _ = test.run(.seconds(2))
        #expect(test.session.isSettled)
        let findings = test.session.findings()
        #expect(findings.map(\.severity) == [.ok, .ok, .warning])
        #expect(findings.last?.cure == .advice("let UDP to port 64738 through the firewalls in between"))
    }

    @Test func `a server without encryption of UDP has the tunnel only`() throws {
        var test = try TestSession()
        _ = test.session.connected(test.now)
        _ = test.say(
            .channelState(.with { $0.channelID = 0 }),
            .channelState(
                .with {
                    $0.channelID = 3
                    $0.name = "Ops"
                }
            ),
            .userState(
                .with {
                    $0.session = 9
                    $0.channelID = 3
                }
            ),
            .serverSync(.with { $0.session = 9 })
        )
        #expect(test.session.isSettled && test.session.findings().last?.subject == .voice)
    }

    @Test func `who may not talk is told`() throws {
        for isMuted in [true, false] {
            var test = try TestSession()
            test.join()
            _ = test.say(
                .userState(
                    .with {
                        $0.session = 9
                        if isMuted { $0.mute = true } else { $0.suppress = true }
                    }
                )
            )
            let finding = test.session.findings()[1]
            #expect(finding.severity == .warning && finding.subject == .channel)
            #expect(finding.text.contains(isMuted ? "muted" : "may not talk there"))
        }
    }

    @Test func `each reason of a server not to let somebody in has its cure`() throws {
        for (type, trouble) in [
            (2, .name), (3, .password), (4, .password), (5, .nameInUse), (6, .full), (7, .rejected),
            (99, .rejected),
        ] as [(Int, Trouble)] {
            var test = try TestSession()
            _ = test.session.connected(test.now)
            _ = test.say(.reject(.with { $0.type = .init(type) }))
            let finding = try #require(test.session.findings().first)
            #expect(finding.severity == .failure && test.session.isSettled)
            #expect(finding.cure == trouble.cure(test.session.address))
        }
    }

    @Test func `a failure is forgotten in the channel`() throws {
        var test = try TestSession()
        _ = test.session.lost("refused", test.now)
        #expect(lines(test).first == "failure  server: refused")
        _ = test.run(.zero)
        test.join()
        #expect(lines(test).first == "ok       server: host:64738 answers")
    }

    @Test func `a missing channel is a failure of the channel`() throws {
        var test = try TestSession("mumble://ann@host/Nowhere")
        _ = test.synchronise()
        #expect(lines(test).first == "failure  channel: host:64738 has no channel Nowhere; it has Ops")
    }

    @Test func `a changed certificate says both, and what accepts the new one`() throws {
        var test = try TestSession()
        let reason = test.session.address.change(ofCertificate: "aa", to: "bb")
        let trouble = Trouble.certificateChanged(file: "/known", shown: "bb")
        let effects = test.session.refuse(reason, trouble)
        let cure = trouble.cure(test.session.address).text
        #expect(effects == [.disconnect, .ended("\(reason): \(cure)")])
        #expect(cure.hasSuffix("accept it with: echo 'host:64738 bb' >> '/known'"))
        #expect(lines(test) == ["failure  server: \(reason)", "         → \(cure)"])
    }
}
