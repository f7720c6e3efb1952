import Foundation
import PTTMessages
import Testing

/// The files in `Sources/Core/PTTMessages/Interfaces`, compared with the types that read and write what they
/// describe.
///
/// A daemon compares their methods with its handlers when it starts (`VarlinkInterface`).
@Suite struct InterfaceFileTests {
    private static let texts = [
        AccessoryInterface.name: AccessoryInterface.description,
        ActionInterface.name: ActionInterface.description,
        ApplicationInterface.name: ApplicationInterface.description,
        ChannelInterface.name: ChannelInterface.description,
        KeyInterface.name: KeyInterface.description,
        PushInterface.name: PushInterface.description,
    ]

    private struct Method {
        let name: String
        let parameters: [String: String]
        let reply: [String: String]

        init<Request, Reply>(_ method: InterfaceMethod<Request, Reply>) throws {
            name = method.name
            parameters = try MessageMembers.types(of: Request.self)
            reply = try MessageMembers.types(of: Reply.self)
        }
    }

    let channel: InterfaceFile
    let application: InterfaceFile
    let push: InterfaceFile
    let accessory: InterfaceFile
    let action: InterfaceFile
    let key: InterfaceFile

    init() throws {
        channel = try InterfaceFile(ChannelInterface.description)
        application = try InterfaceFile(ApplicationInterface.description)
        push = try InterfaceFile(PushInterface.description)
        accessory = try InterfaceFile(AccessoryInterface.description)
        action = try InterfaceFile(ActionInterface.description)
        key = try InterfaceFile(KeyInterface.description)
    }

    @Test func `the daemons serve what the files contain, without the end of the last line`() throws {
        let folder = URL(filePath: #filePath).appending(path: "../../../Sources/Core/PTTMessages/Interfaces")
            .standardized
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "varlink" }
        #expect(files.count == Self.texts.count)
        for file in files {
            let text = try #require(Self.texts[file.deletingPathExtension().lastPathComponent])
            #expect(try String(contentsOf: file, encoding: .utf8) == text + "\n")
        }
    }

    @Test func `the methods of each file have the parameters and the replies of the code`() throws {
        typealias Channel = ChannelInterface
        try expect(
            [
                Method(Channel.join), Method(Channel.leave), Method(Channel.setDescriptor),
                Method(Channel.getImage), Method(Channel.beginTransmitting), Method(Channel.endTransmitting),
                Method(Channel.reportLatch), Method(Channel.reportButton), Method(Channel.setVolume),
                Method(Channel.reportBattery),
                Method(Channel.subscribeLevels), Method(Channel.removeVirtualMicrophone),
                Method(Channel.getStatus), Method(Channel.subscribe),
            ],
            in: channel
        )
        typealias Application = ApplicationInterface
        try expect(
            [
                Method(Application.attach), Method(Application.useAttachment),
                Method(Application.setForeground), Method(Application.setServiceStatus),
                Method(Application.setTransmissionMode), Method(Application.setAccessoryEventsEnabled),
                Method(Application.setActiveRemoteParticipant), Method(Application.finishPush),
            ],
            in: application
        )
        try expect([Method(PushInterface.send)], in: push)
        typealias Accessory = AccessoryInterface
        try expect(
            [
                Method(Accessory.getDevices), Method(Accessory.subscribe), Method(Accessory.scan),
                Method(Accessory.pair), Method(Accessory.pairAndTest), Method(Accessory.forget),
                Method(Accessory.explain), Method(Accessory.learn),
            ],
            in: accessory
        )
        try expect([Method(ActionInterface.press), Method(ActionInterface.subscribe)], in: action)
        try expect(
            [Method(KeyInterface.offer), Method(KeyInterface.press), Method(KeyInterface.release)],
            in: key
        )
    }

    private func expect(_ methods: [Method], in file: InterfaceFile) throws {
        #expect(Set(methods.map(\.name)) == Set(file.methods.keys.map(String.init)))
        for method in methods {
            let declared = try #require(file.methods[Substring(method.name)])
            var parameters = try file.members(declared.parameters)
            // Read by the core for all calls, see `Route`.
            if let callID = parameters.removeValue(forKey: "callID") { #expect(callID == "?int") }
            #expect(parameters == method.parameters, "\(method.name)")
            #expect(try file.members(declared.reply) == method.reply, "\(method.name)")
        }
    }

    @Test func `the errors of each file have the names and the members of the code`() throws {
        let refusal = try MessageMembers.types(of: Refusal.self)
        let lagged = "SubscriberLagged"
        try expect(
            [ChannelInterface.refused: refusal, ChannelInterface.imageNotFound: ["imageID": "string"]],
            lagged,
            in: channel,
            ChannelInterface.name
        )
        try expect(
            [ApplicationInterface.refused: refusal],
            lagged,
            in: application,
            ApplicationInterface.name
        )
        let rejection = try MessageMembers.types(of: PushRejection.self)
        try expect([PushInterface.rejected: rejection], nil, in: push, PushInterface.name)
        let failures = [
            AccessoryInterface.bluetoothUnavailable, AccessoryInterface.deviceNotFound,
            AccessoryInterface.pairingFailed, AccessoryInterface.testFailed,
            AccessoryInterface.bindKeyNeeded,
            AccessoryInterface.learningFailed,
        ]
        let errors = failures.map { ($0, ["reason": "string"]) }
        try expect(Dictionary(uniqueKeysWithValues: errors), lagged, in: accessory, AccessoryInterface.name)
        try expect(
            [ActionInterface.notBegun: ["reason": "string"]],
            lagged,
            in: action,
            ActionInterface.name
        )
        try expect([KeyInterface.notOffered: ["reason": "string"]], nil, in: key, KeyInterface.name)
    }

    private func expect(
        _ errors: [String: [String: String]],
        _ lagged: String?,
        in file: InterfaceFile,
        _ name: String
    ) throws {
        var declared: [String: [String: String]] = [:]
        for (error, members) in file.errors { declared["\(name).\(error)"] = try file.members(members) }
        // `VarlinkConnection` sends it.
        if let lagged { #expect(declared.removeValue(forKey: "\(name).\(lagged)") == [:]) }
        #expect(declared == errors)
    }
}
