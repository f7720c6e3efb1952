import ChildProcess
import EventLoop
import Glibc

/// Hostile peers, one after the other, each against a `pttd` of its own, while a well-behaved client asks it.
@EventLoop
enum Hostile {
    /// The state of a `pttd` after an attack.
    struct Outcome {
        /// The longest time that the well-behaved client waited; nil if an answer did not come at all.
        let longestAnswer: Duration?
        /// The share of a processor that it uses when the attacker is silent again, but still connected.
        let processor: Double
        /// Resident kB at that time, and the most that it ever had.
        let resident: Int
        let peak: Int
        /// Nil if the log cannot be read.
        let logLines: Int?
    }

    /// More than any attack needs that does not block the core.
    private static let attackTime = Duration.seconds(10)
    private static let settleTime = Duration.milliseconds(500)

    static func measure(_ attacks: [Attack], on stack: StackFixture, _ table: inout Table) async throws {
        table.printAttackHeader()
        for (number, attack) in attacks.enumerated() {
            let core = try await AttackedCoreFixture(
                stack,
                number: number,
                microphone: attack == .pressesWithoutMicrophone ? "nothing" : nil,
                isLogRead: attack != .stoppedJournal
            )
            if attack == .stoppedBus { stack.bus?.signal(SIGSTOP) }
            defer { stack.bus?.signal(SIGCONT) }
            table.printAttack(attack.title, try await outcome(of: attack, on: core, stack))
            core.end()
        }
    }

    /// - Returns: Nil if the core died.
    private static func outcome(of attack: Attack, on core: AttackedCoreFixture, _ stack: StackFixture)
        async throws
        -> Outcome?
    {
        let client = try WellBehavedClient()
        defer { client.close() }
        guard try await client.ask(attack.question) else {
            throw Unmeasurable("pttd does not answer even without an attack")
        }
        let attacker = try AttackerProcess(attack, stack)
        defer { attacker.end() }
        let isAnswering = try await answers(client, to: attack.question, during: attacker)
        let end = MonotonicInstant.now + attackTime
        while !attacker.isDone, MonotonicInstant.now < end { await pause(settleTime) }
        await pause(settleTime)
        guard core.child.status == nil else { return nil }
        let before = try ProcessFigures(core.child.processID)
        await pause(.seconds(1))
        let after = try ProcessFigures(core.child.processID)
        return Outcome(
            longestAnswer: isAnswering ? client.longest : nil,
            processor: (after.processorTime - before.processorTime) / .seconds(1),
            resident: after.resident,
            peak: after.peak,
            logLines: try core.logLines()
        )
    }

    /// Asks until the attack is over, and a few times more.
    private static func answers(
        _ client: WellBehavedClient,
        to question: Attack.Question,
        during attacker: AttackerProcess
    ) async throws -> Bool {
        let end = MonotonicInstant.now + attackTime
        while !attacker.isDone, MonotonicInstant.now < end {
            guard try await client.ask(question) else { return false }
        }
        for _ in 0..<5 {
            guard try await client.ask(question) else { return false }
        }
        return true
    }
}

/// This program again, as an attacker.
@EventLoop
private final class AttackerProcess {
    private let stack: StackFixture
    private let child: ChildProcess
    private let output: OwnedDescriptor
    private var source: DescriptorSource?
    private(set) var isDone = false

    init(_ attack: Attack, _ stack: StackFixture) throws {
        self.stack = stack
        let (ownEnd, attackerEnd) = try UnixSocket.pair(.stream)
        output = OwnedDescriptor(adopting: ownEnd)
        child = try stack.start([stack.ownProgram, "attack", attack.rawValue], output: attackerEnd)
        _ = close(attackerEnd)  // The child's.
        source = try DescriptorSource(output.value, .readable) { [weak self] _ in self?.finished() }
    }

    func end() {
        source?.cancel()
        stack.end(child)
    }

    /// The attacker has reported that it is done, or has died.
    private func finished() {
        isDone = true
        source?.cancel()
    }
}

extension Table {
    /// The limits of every attack.
    private static let longestAnswer = Duration.milliseconds(100)
    private static let megabytes = 24.0
    private static let logLines = 50

    func printAttackHeader() {
        printSection(
            "Hostile peers: the longest answer to another client; then, with the attacker still connected, "
                + "processor use, memory now and at most, log lines"
        )
        printAttackLine("", "answer", "processor", "memory", "(peak)", "lines", "")
        printAttackLine("  limit", "100 ms", "0 %", "24 MB", "", "50", "")
    }

    mutating func printAttack(_ title: String, _ outcome: Hostile.Outcome?) {
        guard let outcome else {
            countFailure()
            return printAttackLine("  " + title, "pttd died", "", "", "", "", "MISSED")
        }
        let percent = (outcome.processor * 1000).rounded() / 10
        let memory = Double(outcome.resident) / 1024
        let misses = [
            (outcome.longestAnswer.map { $0 > Self.longestAnswer } ?? true, "answer"),
            (percent > 0, "processor"), (memory > Self.megabytes, "memory"),
            ((outcome.logLines ?? 0) > Self.logLines, "lines"),
        ].filter(\.0).map(\.1)
        for _ in misses { countFailure() }
        printAttackLine(
            "  " + title,
            outcome.longestAnswer.map { decimal($0 / .milliseconds(1), 1) + " ms" } ?? "none",
            decimal(percent, 1) + " %",
            decimal(memory, 1) + " MB",
            decimal(Double(outcome.peak) / 1024, 1),
            outcome.logLines.map { "\($0)" } ?? "",
            misses.isEmpty ? "kept" : "MISSED: " + misses.joined(separator: ", ")
        )
    }

    private func printAttackLine(_ columns: String...) {
        printLine(columns, widths: [54, 11, 11, 10, 8, 9, 8])
    }
}
