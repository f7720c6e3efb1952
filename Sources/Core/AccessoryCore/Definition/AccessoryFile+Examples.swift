import PTTMessages

extension AccessoryFile {
    func examples(for input: AccessoryInput) throws(AccessoryFileProblem) -> [AccessoryExample] {
        let examples = example ?? []
        try checkCount(examples.count, Limit.examples, ["example"])
        return try values(of: examples, ["example"]) { example, path throws(AccessoryFileProblem) in
            try checkPrintable(example.title, path + ["title"])
            if example.steps.isEmpty { throw Problem(path + ["steps"], "is empty") }
            try checkCount(example.steps.count, Limit.steps, path + ["steps"])
            let steps = try values(of: example.steps, path + ["steps"]) {
                step,
                path throws(AccessoryFileProblem) in
                try self.step(step, of: input, path)
            }
            return AccessoryExample(title: example.title, steps: steps)
        }
    }

    private func step(
        _ step: Step,
        of input: AccessoryInput,
        _ path: Path
    ) throws(AccessoryFileProblem) -> AccessoryExample.Step {
        let delay = step.after ?? 1
        guard (0...3600).contains(delay) else {
            throw Problem(path + ["after"], "\(delay) is not between 0 and 3600 seconds")
        }
        try checkCount(step.expect.count, Limit.inputs, path + ["expect"])
        let outcomes = try values(of: step.expect, path + ["expect"], outcome)
        return AccessoryExample.Step(
            action: try action(step, of: input, path),
            delay: .seconds(delay),
            outcomes: outcomes
        )
    }

    private func action(
        _ step: Step,
        of input: AccessoryInput,
        _ path: Path
    ) throws(AccessoryFileProblem) -> AccessoryExample.Step.Action {
        switch (step.send, step.lose) {
        case (nil, true?): return .lose
        case (let text?, nil):
            switch input {
            case .gatt(let inputs):
                let number = step.input ?? 1
                guard (1...inputs.count).contains(number) else {
                    throw Problem(path + ["input"], "there is no input \(number)")
                }
                return .notify(try bytes(text, path + ["send"]), input: number - 1)
            case .serial:
                try checkNoInput(step, path)
                try checkCount(text.utf8.count, Limit.characters, path + ["send"])
                return .receive(Array(text.utf8))
            case .advertisements:
                try checkNoInput(step, path)
                let data = try bytes(text, path + ["send"])
                guard BTHome.packet(data) != nil else {
                    throw Problem(
                        path + ["send"],
                        "\(quoted(text)) is not an advertisement of BTHome 2 in plain text"
                    )
                }
                return .advertise(data)
            case .keys:
                try checkNoInput(step, path)
                return try key(text, path + ["send"])
            }
        case (nil, _), (_?, _?): throw Problem(path, "a step has either send or lose = true")
        }
    }

    private func checkNoInput(_ step: Step, _ path: Path) throws(AccessoryFileProblem) {
        if step.input != nil { throw Problem(path + ["input"], "the accessory has one input") }
    }

    private func key(_ text: String, _ path: Path) throws(AccessoryFileProblem)
        -> AccessoryExample.Step.Action
    {
        let words = text.split(separator: " ")
        guard words.count == 2, words[1] == "down" || words[1] == "up", let code = KeyName.code(of: words[0])
        else {
            throw Problem(
                path,
                "\(quoted(text)) is not the edge of a key: write \"KEY_MEDIA down\" or \"KEY_MEDIA up\""
            )
        }
        return .key(code, isPressed: words[1] == "down")
    }

    private func outcome(_ text: String, _ path: Path) throws(AccessoryFileProblem)
        -> AccessoryExample.Step.Outcome
    {
        let words = text.split(separator: " ")
        guard words.count == 2 else { throw notAnOutcome(text, path) }
        let role = try role(words[1], path)
        switch (words[0], role.transmits) {
        case ("begin", true): return .begin(role)
        case ("end", true): return .end(role)
        case ("press", false): return .press(role)
        case ("release", false): return .release(role)
        default: throw notAnOutcome(text, path)
        }
    }

    private func notAnOutcome(_ text: String, _ path: Path) -> AccessoryFileProblem {
        Problem(
            path,
            "\(quoted(text)) cannot be expected: write begin or end with a button that transmits, "
                + "press or release with another one"
        )
    }
}
