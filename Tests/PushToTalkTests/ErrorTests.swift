import EventLoop
import PushToTalk
import TestSupport
import Testing

/// Semantics, “Raw values”, “Errors in each idiom”: values that equal those of Apple's systems.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ErrorTests {
    init() { withRunningLoop() }

    @Test func `raw values are Apple's`() {
        #expect(PTChannelJoinReason.developerRequest.rawValue == 0)
        #expect(PTChannelJoinReason.channelRestoration.rawValue == 1)
        #expect(
            [PTChannelLeaveReason.unknown, .userRequest, .developerRequest, .systemPolicy].map(\.rawValue)
                == [0, 1, 2, 3]
        )
        let sources: [PTChannelTransmitRequestSource] = [
            .unknown, .userRequest, .developerRequest, .handsfreeButton,
        ]
        #expect(sources.map(\.rawValue) == [0, 1, 2, 3])
        #expect([PTServiceStatus.ready, .connecting, .unavailable].map(\.rawValue) == [0, 1, 2])
        #expect([PTTransmissionMode.fullDuplex, .halfDuplex, .listenOnly].map(\.rawValue) == [0, 1, 2])
        let channel: [PTChannelError.Code] = [
            .unknown, .channelNotFound, .channelLimitReached, .callActive, .transmissionInProgress,
            .transmissionNotFound, .appNotForeground, .deviceManagementRestriction, .screenTimeRestriction,
            .transmissionNotAllowed,
        ]
        #expect(channel.map(\.rawValue) == Array(0...9))
        let instantiation: [PTInstantiationError.Code] = [
            .unknown, .invalidPlatform, .missingBackgroundMode, .missingPushServerEnvironment,
            .missingEntitlement,
            .instantiationAlreadyInProgress,
        ]
        #expect(instantiation.map(\.rawValue) == Array(0...5))
    }

    @Test func `errors match in every idiom`() {
        let error: any Error = PTChannelError(.callActive, userInfo: [PTTErrorReasonKey: "a call"])
        let object = error as NSError
        #expect(object.domain == PTChannelErrorDomain && object.code == PTChannelError.callActive.rawValue)
        #expect(object.userInfo[PTTErrorReasonKey] as? String == "a call")
        #expect((error as? PTChannelError)?.code == .callActive)
        #expect(PTChannelError.errorDomain == PTChannelErrorDomain)
        #expect(PTInstantiationError.errorDomain == PTInstantiationErrorDomain)
        var caught = false
        do { throw error } catch PTChannelError.channelNotFound {} catch PTChannelError.callActive {
            caught = true
        } catch {}
        #expect(caught)
        let instantiation: any Error = PTInstantiationError(.invalidPlatform)
        if case PTInstantiationError.invalidPlatform = instantiation {} else { Issue.record("no match") }
        #expect((instantiation as NSError).code == 1)
        #expect(PTChannelError(.unknown) != PTChannelError(.callActive))
    }

    /// Applications branch on them, and find them in their logs.
    @Test func `the domains are Apple's`() {
        #expect(PTChannelErrorDomain == "com.apple.pushtotalk.channel")
        #expect(PTInstantiationErrorDomain == "com.apple.pushtotalk.instantiation")
    }

    @Test func `an error survives the conversion to NSError and back`() throws {
        let object = NSError(
            domain: "com.apple.pushtotalk.channel",
            code: 2,
            userInfo: [PTTErrorReasonKey: "another channel"]
        )
        let error = try #require(object as? PTChannelError)
        #expect(error.code == .channelLimitReached && error.pttReason == "another channel")
        #expect((object as any Error as? PTChannelError)?.code == .channelLimitReached)
        #expect((object as Any as? PTChannelError)?.code == .channelLimitReached)
        #expect(object as? PTInstantiationError == nil)
        #expect(NSError(domain: NSCocoaErrorDomain, code: 2) as? PTChannelError == nil)
        let again = PTInstantiationError(.missingEntitlement) as NSError
        #expect(again as? PTInstantiationError == PTInstantiationError(.missingEntitlement))
    }

    @Test func `an NSError is caught and matched as the error of its domain`() throws {
        let limit: any Error = NSError(domain: PTChannelErrorDomain, code: 2)
        var caught = ""
        do { throw limit } catch PTChannelError.callActive {
            caught = "a call"
        } catch PTChannelError.channelLimitReached {
            caught = "a channel"
        } catch {
            caught = "nothing"
        }
        #expect(caught == "a channel")
        let foreign: any Error = NSError(domain: NSPOSIXErrorDomain, code: 2)
        if case PTChannelError.channelLimitReached = foreign { Issue.record("another domain matches") }
        let refused: any Error = PTInstantiationError(.missingEntitlement)
        switch refused as NSError {
        case PTInstantiationError.invalidPlatform: Issue.record("another code matches")
        case PTInstantiationError.missingEntitlement: break
        default: Issue.record("no code matches")
        }
    }

    @Test func `an error keeps the userInfo of the application`() {
        let info: [String: Any] = [NSLocalizedDescriptionKey: "no room", "attempt": 3]
        let error = PTChannelError(.channelLimitReached, userInfo: info)
        #expect(error.userInfo.count == 2 && error.errorUserInfo.count == 2)
        #expect(error.userInfo["attempt"] as? Int == 3)
        #expect(error.localizedDescription == "no room")
        #expect((error as NSError).localizedDescription == "no room")
        #expect((error as NSError).userInfo["attempt"] as? Int == 3)
        #expect(error.pttReason == "no room")
        let instantiation = PTInstantiationError(.unknown, userInfo: info)
        #expect(instantiation.localizedDescription == "no room")
        #expect(instantiation.userInfo["attempt"] as? Int == 3)
        #expect(PTChannelError(.callActive).userInfo.isEmpty)
        #expect(!PTChannelError(.callActive).localizedDescription.isEmpty)
        #expect(error != PTChannelError(.channelLimitReached))
    }

    /// Applications write them into logs and send them to servers.
    @Test func `enumerations are described like imported ones`() {
        #expect(String(describing: PTChannelLeaveReason.userRequest) == "PTChannelLeaveReason(rawValue: 1)")
        #expect("\(PTChannelJoinReason.channelRestoration)" == "PTChannelJoinReason(rawValue: 1)")
        let source = PTChannelTransmitRequestSource.handsfreeButton
        #expect("\(source)" == "PTChannelTransmitRequestSource(rawValue: 3)")
        #expect("\(PTServiceStatus.connecting)" == "PTServiceStatus(rawValue: 1)")
        #expect("\(PTTransmissionMode.listenOnly)" == "PTTransmissionMode(rawValue: 2)")
    }

    @Test func `a number without a case is a value`() throws {
        let reason = try #require(PTChannelLeaveReason(rawValue: 77))
        #expect(reason.rawValue == 77 && reason != .unknown)
        switch reason {
        case .unknown, .userRequest, .developerRequest, .systemPolicy: Issue.record("a known reason")
        @unknown default: break
        }
        #expect(PTChannelJoinReason(rawValue: -1)?.rawValue == -1)
        #expect(PTServiceStatus(rawValue: 9) != nil && PTTransmissionMode(rawValue: 9) != nil)
        #expect(PTChannelTransmitRequestSource(rawValue: 9) != nil)
        let error = try #require(NSError(domain: PTChannelErrorDomain, code: 99) as? PTChannelError)
        #expect(error.code == PTChannelError.Code(rawValue: 99) && error.errorCode == 99)
        #expect(PTInstantiationError.Code(rawValue: 99) != nil)
    }

    @EventLoop
    @Test func `a number without a case is refused`() async throws {
        let fixture = try await LibraryFixture.start()
        let manager = try await Joined.make(fixture, RecordingDelegate()).manager
        let status = try #require(PTServiceStatus(rawValue: 9))
        let mode = try #require(PTTransmissionMode(rawValue: 9))
        let error = await #expect(throws: PTChannelError.self) {
            try await manager.setServiceStatus(status, channelUUID: fixture.channel)
        }
        #expect(error?.code == .unknown)
        #expect(error?.localizedDescription == "PTServiceStatus(rawValue: 9) has no meaning")
        #expect(error?.pttReason == error?.localizedDescription)
        await #expect(throws: PTChannelError.self) {
            try await manager.setTransmissionMode(mode, channelUUID: fixture.channel)
        }
    }

    @Test func `an empty name is replaced`() {
        #expect(PTChannelDescriptor(name: "", image: nil).name == "Push to Talk")
        #expect(PTParticipant(name: "", image: nil).name == "Somebody")
        #expect(PTParticipant(name: "Bob", image: nil).name == "Bob")
    }
}
