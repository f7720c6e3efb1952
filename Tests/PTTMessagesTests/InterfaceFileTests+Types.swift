import PTTMessages
import Testing

extension InterfaceFileTests {
    @Test func `the events of both files have the kinds and the members of the code`() throws {
        let ofChannel = try kinds(in: channel, after: "kind is one of ")
        let ofApplication = try kinds(in: application, after: "that only the application receives: ")
        let events = Dictionary(grouping: MessageTests.events.dropLast(), by: isForApplication)
        #expect(Set(ofChannel.keys) == Set(events[false, default: []].map(\.kind)))
        #expect(Set(ofApplication.keys) == Set(events[true, default: []].map(\.kind)))

        var members = ["kind": "string"]
        try add(ofChannel, to: &members)
        #expect(try channel.members(#require(channel.types["Event"])) == members)
        try add(ofApplication, to: &members)
        #expect(try application.members(#require(application.types["Event"])) == members)
    }

    /// The names of the values of each kind of event, from the comment.
    private func kinds(in file: InterfaceFile, after introduction: String) throws -> [String: [String]] {
        let text = onOneLine(try #require(file.texts["Event"]))
        let end = try #require(text.firstRange(of: "\ntype")).lowerBound
        let list = text[try #require(text.firstRange(of: introduction)).upperBound..<end]
        var kinds: [String: [String]] = [:]
        for match in list.matches(of: #/(\w+)(?: and (\w+))?(?: \(([^;)]*)[^)]*\))?[,.]/#) {
            let values = match.output.3?.split(separator: ", ").map(String.init) ?? []
            for kind in [match.output.1, match.output.2].compactMap(\.self) { kinds[String(kind)] = values }
        }
        return kinds
    }

    private func add(_ kinds: [String: [String]], to members: inout [String: String]) throws {
        for (kind, values) in kinds {
            var types = try MessageMembers.types(of: Tagged<CoreEvent>.self, reading: ["kind": kind])
            types["kind"] = nil
            #expect(Set(types.keys) == Set(values), "\(kind)")
            add(types, to: &members)
        }
    }

    /// Members of a kind or a state: the others do not have them.
    private func add(_ types: [String: String], to members: inout [String: String]) {
        for (name, type) in types {
            let optional = type.hasPrefix("?") ? type : "?" + type
            #expect(members[name] ?? optional == optional, "\(name)")
            members[name] = optional
        }
    }

    /// The compiler asks for a new case here. It belongs in ``MessageTests/events``, too.
    private func isForApplication(_ event: CoreEvent) -> Bool {
        switch event {
        case .channelJoined, .descriptorChanged, .applicationStarting, .applicationDetached, .channelLeft,
            .serviceStatusChanged, .transmissionModeChanged, .accessoryEventsChanged, .participantChanged,
            .transmissionBegan, .transmissionLatched, .transmissionEnded, .transmissionRefused,
            .timeLimitNear, .audioActivating,
            .audioActivated, .audioDeactivated, .audioInterrupted, .audioInterruptionEnded, .routeChanged,
            .audioServerReady, .audioServerLost, .pushFinished, .stateSaved, .stateNotSaved,
            .virtualMicrophoneChanged, .callChanged, .recordersChanged, .microphoneChanged, .volumeChanged,
            .unknown:
            false
        case .channelRestored, .pushReceived, .requestAnswered, .endRefused, .accessoryPressed,
            .accessoryReleased, .buttonPressed, .buttonReleased:
            true
        }
    }

    @Test func `a state of the virtual microphone has the members of the files`() throws {
        var members: [String: String] = [:]
        for state in VirtualMicrophone.State.allCases {
            var types = try MessageMembers.types(
                of: VirtualMicrophone.self,
                reading: ["state": state.rawValue]
            )
            members["state"] = types.removeValue(forKey: "state")
            add(types, to: &members)
        }
        for file in [channel, application] {
            #expect(try file.members(#require(file.types["VirtualMicrophone"])) == members)
        }
    }

    @Test func `a status is written with the members of the file, which are read one by one`() throws {
        let written = Mirror(reflecting: Status(timeLimit: 1)).children.compactMap(\.label)
        #expect(Set(try channel.members(#require(channel.types["Status"])).keys) == Set(written))
    }

    @Test func `a type that several files declare has the same text in each`() throws {
        let files = [channel, application, push, accessory]
        for (index, file) in files.enumerated() {
            for other in files[..<index] {
                // An event has the members of its interface.
                for (name, text) in file.texts where name != "Event" {
                    guard let text = other.texts[name].map({ ($0, text) }) else { continue }
                    #expect(alike(text.0) == alike(text.1))
                }
            }
        }
        let kinds = [try #require(accessory.texts["DeviceKind"]), try #require(channel.texts["OriginKind"])]
        #expect(alike(kinds[0]) == alike(kinds[1]))
    }

    /// With one name for what the interfaces have different names for.
    private func alike(_ text: Substring) -> String {
        String(text).replacing("RunningApplication", with: "Application")
            .replacing("DeviceKind", with: "OriginKind")
    }

    @Test func `no file declares a type that nothing has`() throws {
        for file in [channel, application, push, accessory] {
            let methods = file.methods.values.flatMap { [$0.parameters, $0.reply] }
            let text = (methods + file.types.values + file.errors.values).joined()
            let used = Set(text.matches(of: #/: [?\[\]]*(\w+)/#).map(\.output.1))
            #expect(Set(file.types.keys).isSubset(of: used), "\(Set(file.types.keys).subtracting(used))")
        }
    }

    @Test func `the limits in the files are those of the code`() {
        typealias Accessory = AccessoryInterface
        let image = "of at most \(Image.sizeLimit / 1024) KiB"
        let rates = "Rates: \(AudioFormat.rates.map { "\($0)" }.joined(separator: ", ")). Channels: 1 or 2."
        let names = "at most \(VirtualMicrophone.longestList)."
        let scan = Accessory.ScanRequest.limits
        let test = Accessory.PairAndTestRequest.limits
        let sentences = [
            (ChannelInterface.description, [image, rates, names]),
            (ChannelInterface.description, ["at least \(ChannelInterface.LevelReport.floor);"]),
            (ChannelInterface.description, ["and \(Status.defaultVolume) at first"]),
            (ApplicationInterface.description, [image, rates, names]),
            (PushInterface.description, ["at most \(PushInterface.SendRequest.longestPayload) bytes"]),
            (Accessory.description, ["for \(scan.lowerBound) to \(scan.upperBound) seconds"]),
            (Accessory.description, ["(\(test.lowerBound) to \(test.upperBound))"]),
        ]
        for (description, sentences) in sentences {
            for sentence in sentences { #expect(onOneLine(description).contains(sentence)) }
        }
    }

    private func onOneLine(_ text: some StringProtocol) -> String {
        String(text).replacing("\n# ", with: " ")
    }
}
