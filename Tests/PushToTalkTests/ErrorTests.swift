import Foundation
import PTTMessages
import PushToTalk
import Testing

/// Values that are the same on Apple's systems: rows 1.5, 1.6, 4.2, 5/81 and 5/82 of the contract.
@Suite struct ErrorTests {
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

    @Test func `errors are found in every idiom`() {
        let error: any Error = PTChannelError(.callActive, userInfo: [PTTErrorReasonKey: "a call"])
        let object = error as NSError
        #expect(object.domain == PTChannelErrorDomain && object.code == PTChannelError.callActive.rawValue)
        #expect(object.localizedDescription == "a call")
        #expect(object.userInfo[PTTErrorReasonKey] as? String == "a call")
        #expect((error as? PTChannelError)?.code == .callActive)
        #expect(PTChannelError.errorDomain == "PTChannelErrorDomain")
        #expect(PTInstantiationError.errorDomain == "PTInstantiationErrorDomain")
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

    @Test func `an empty name is replaced`() {
        #expect(PTChannelDescriptor(name: "", image: nil).name == "Push to Talk")
        #expect(PTParticipant(name: "", image: nil).name == "Somebody")
        #expect(PTParticipant(name: "Bob", image: nil).name == "Bob")
    }
}
