/// The attacks of a hostile peer of the same user on the sockets of `pttd`. Each has a `pttd` of its own.
enum Attack: String, CaseIterable {
    // Text that is slow to compare: 250,000 combining marks, the later ones to be sorted before the earlier
    // ones.
    case marksInKey
    case marksInMethod
    case marksInInterface
    case marksInCallToken
    case marksInApplication
    case marksInChannelName
    case marksInPushTopic
    case marksInAudioToken
    // Messages of 1 MiB.
    case zeros
    case nesting
    case openBrackets
    case keys
    case similarKeys
    case sameKey
    // Unread answers and unfinished calls.
    case callsBehindSubscription
    case largeCallsBehindSubscription
    case connectionsAtTheLimit
    case pipelinedCalls
    case numberedCalls
    case halfMessages
    case deafSubscribers
    case deafAttachments
    case deafReadersOfPictures
    case endOfReading
    // Log lines.
    case refusedCalls
    case pressesWithoutMicrophone
    case startsThatFail
    case stoppedBus
    case malformedMessages
    case connectionStorm
    case stoppedJournal
    // State that the core keeps.
    case pictures
    case brokenPictures
    case oversizedPictures
    case pushes
    // The audio socket.
    case eightSilentStrangers
    case sixtySilentStrangers
    case audioConnectionStorm
    case oversizedPackets
    case oversizedPacketsOfTheApplication
    case endOfReadingAudio

    var title: String {
        switch self {
        case .marksInKey: "250,000 combining marks as a key"
        case .marksInMethod: "250,000 combining marks as a method"
        case .marksInInterface: "250,000 combining marks as an interface"
        case .marksInCallToken: "250,000 combining marks as a call token"
        case .marksInApplication: "250,000 combining marks as an application"
        case .marksInChannelName: "250,000 combining marks as a channel's name"
        case .marksInPushTopic: "250,000 combining marks as a push topic"
        case .marksInAudioToken: "combining marks as an audio token"
        case .zeros: "1 MiB of [0,0,0…"
        case .nesting: "1 MiB of arrays, as deep as allowed"
        case .openBrackets: "1 MiB of [[[…"
        case .keys: "1 MiB of short keys"
        case .similarKeys: "1 MiB of long keys that differ in the middle"
        case .sameKey: "1 MiB of one key"
        case .callsBehindSubscription: "100,000 calls behind a subscription"
        case .largeCallsBehindSubscription: "calls of 1 MiB without end behind a subscription"
        case .connectionsAtTheLimit: "70 connections that do this"
        case .pipelinedCalls: "calls without a pause on one connection"
        case .numberedCalls: "numbered calls, and their results are not read"
        case .halfMessages: "60 connections with half a message of 1 MiB"
        case .deafSubscribers: "30 subscribers that do not read"
        case .deafAttachments: "30 attachments that do not read"
        case .deafReadersOfPictures: "60 connections that ask for a picture and do not read"
        case .endOfReading: "shutdown(SHUT_RD) by 10 subscribers"
        case .refusedCalls: "refused calls in a loop"
        case .pressesWithoutMicrophone: "presses in a loop, without a microphone"
        case .startsThatFail: "presses in a loop for an application that cannot start"
        case .stoppedBus: "the same, and the buses are stopped"
        case .malformedMessages: "malformed messages in a loop"
        case .connectionStorm: "connections that close immediately, in a loop"
        case .stoppedJournal: "malformed messages, and the log is not read"
        case .pictures: "pictures of 256 KiB in a loop"
        case .brokenPictures: "pictures that are not base64, in a loop"
        case .oversizedPictures: "pictures of 600 KB in a loop"
        case .pushes: "the largest pushes, no application"
        case .eightSilentStrangers: "audio: 8 silent strangers"
        case .sixtySilentStrangers: "audio: 60 silent strangers"
        case .audioConnectionStorm: "audio: connections that close immediately, in a loop"
        case .oversizedPackets: "audio: packets of 150 KB in a loop"
        case .oversizedPacketsOfTheApplication: "audio: packets of 150 KB from an application"
        case .endOfReadingAudio: "audio: shutdown(SHUT_RD) by an application that presses"
        }
    }

    /// A request of the well-behaved client meanwhile.
    enum Question {
        /// `GetStatus`, on a connection that was there before.
        case status
        /// The first packet of the open microphone, on a connection to the audio socket made for it.
        case audio
    }

    var question: Question {
        switch self {
        case .marksInKey, .marksInMethod, .marksInInterface, .marksInCallToken, .marksInApplication,
            .marksInChannelName, .marksInPushTopic, .zeros, .nesting, .openBrackets, .keys, .similarKeys,
            .sameKey, .callsBehindSubscription, .largeCallsBehindSubscription, .connectionsAtTheLimit,
            .pipelinedCalls, .numberedCalls, .deafReadersOfPictures, .pressesWithoutMicrophone,
            .startsThatFail, .stoppedBus, .oversizedPictures, .endOfReadingAudio, .halfMessages,
            .deafSubscribers, .deafAttachments, .endOfReading, .refusedCalls,
            .malformedMessages, .connectionStorm, .stoppedJournal, .pictures, .brokenPictures, .pushes,
            .oversizedPacketsOfTheApplication:
            .status
        case .marksInAudioToken, .eightSilentStrangers, .sixtySilentStrangers, .audioConnectionStorm,
            .oversizedPackets:
            .audio
        }
    }
}
