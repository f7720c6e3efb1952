// The enumerations of Apple's framework are C's, and Swift imports these as it imports those: a number of a later version
// is a value, `switch` asks for `@unknown default`, and each is described by its raw value. An enumeration of Swift does
// none of that.
#pragma once

/// Why a channel is joined.
typedef enum __attribute__((enum_extensibility(open))) PTChannelJoinReason : long {
    PTChannelJoinReasonDeveloperRequest = 0,
    PTChannelJoinReasonChannelRestoration = 1,
} PTChannelJoinReason;

/// Why a channel is not joined any more.
typedef enum __attribute__((enum_extensibility(open))) PTChannelLeaveReason : long {
    /// Here also: the core was found again without the channel, or gave up on starting the application.
    PTChannelLeaveReasonUnknown = 0,
    /// Here: `pttctl leave`.
    PTChannelLeaveReasonUserRequest = 1,
    /// Also after ``PTPushResult/leaveChannel``, of which Apple does not say it.
    PTChannelLeaveReasonDeveloperRequest = 2,
    /// A rule of the policy file that did not hold when the channel was joined.
    PTChannelLeaveReasonSystemPolicy = 3,
} PTChannelLeaveReason;

/// What began or ended a transmission.
typedef enum __attribute__((enum_extensibility(open))) PTChannelTransmitRequestSource : long {
    /// Also an end that nobody asked for: the time limit, a lost microphone, a change of mode.
    PTChannelTransmitRequestSourceUnknown = 0,
    /// Here: `pttctl talk`.
    PTChannelTransmitRequestSourceUserRequest = 1,
    PTChannelTransmitRequestSourceDeveloperRequest = 2,
    /// A button of an accessory, Bluetooth or wired.
    PTChannelTransmitRequestSourceHandsfreeButton = 3,
} PTChannelTransmitRequestSource;

/// Whether the application's service can be used.
typedef enum __attribute__((enum_extensibility(open))) PTServiceStatus : long {
    PTServiceStatusReady = 0,
    PTServiceStatusConnecting = 1,
    PTServiceStatusUnavailable = 2,
} PTServiceStatus;

/// Who may talk when.
typedef enum __attribute__((enum_extensibility(open))) PTTransmissionMode : long {
    PTTransmissionModeFullDuplex = 0,
    PTTransmissionModeHalfDuplex = 1,
    PTTransmissionModeListenOnly = 2,
} PTTransmissionMode;

/// What ``PTChannelError/Code`` stands for: why something about a channel was refused.
typedef enum __attribute__((enum_extensibility(open))) PTChannelErrorCode : long {
    /// Anything else, a missing microphone for example; ``PTChannelError/pttReason`` says what.
    PTChannelErrorCodeUnknown = 0,
    PTChannelErrorCodeChannelNotFound = 1,
    PTChannelErrorCodeChannelLimitReached = 2,
    PTChannelErrorCodeCallActive = 3,
    PTChannelErrorCodeTransmissionInProgress = 4,
    PTChannelErrorCodeTransmissionNotFound = 5,
    PTChannelErrorCodeAppNotForeground = 6,
    PTChannelErrorCodeDeviceManagementRestriction = 7,
    PTChannelErrorCodeScreenTimeRestriction = 8,
    PTChannelErrorCodeTransmissionNotAllowed = 9,
} PTChannelErrorCode;

/// What ``PTInstantiationError/Code`` stands for: why there is no channel manager.
typedef enum __attribute__((enum_extensibility(open))) PTInstantiationErrorCode : long {
    PTInstantiationErrorCodeUnknown = 0,
    /// Here: `pttd` cannot be reached.
    PTInstantiationErrorCodeInvalidPlatform = 1,
    /// Here: the application's manifest does not say how the application is started.
    PTInstantiationErrorCodeMissingBackgroundMode = 2,
    /// Here: the application's manifest has no `push-environment`.
    PTInstantiationErrorCodeMissingPushServerEnvironment = 3,
    /// Here: the policy file excludes the application.
    PTInstantiationErrorCodeMissingEntitlement = 4,
    PTInstantiationErrorCodeInstantiationAlreadyInProgress = 5,
} PTInstantiationErrorCode;
