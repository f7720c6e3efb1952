// C enumerations, as in Apple's framework, so that Swift imports them in the same way: a number without a
// case is a valid value, `switch` requires `@unknown default`, and the description is the raw value. An
// enumeration of Swift has none of that.
#pragma once

/// Why a channel was joined.
typedef enum __attribute__((enum_extensibility(open))) PTChannelJoinReason : long {
    PTChannelJoinReasonDeveloperRequest = 0,
    PTChannelJoinReasonChannelRestoration = 1,
} PTChannelJoinReason;

/// Why a channel was left.
typedef enum __attribute__((enum_extensibility(open))) PTChannelLeaveReason : long {
    /// Here: `pttd` has restarted and lost the channel.
    PTChannelLeaveReasonUnknown = 0,
    /// Here: `pttctl leave`.
    PTChannelLeaveReasonUserRequest = 1,
    /// Also after ``PTPushResult/leaveChannel``, for which Apple documents no reason.
    PTChannelLeaveReasonDeveloperRequest = 2,
    /// Here: a rule of the policy file that did not apply when the channel was joined.
    PTChannelLeaveReasonSystemPolicy = 3,
} PTChannelLeaveReason;

/// The cause of a transmission's beginning or end.
typedef enum __attribute__((enum_extensibility(open))) PTChannelTransmitRequestSource : long {
    /// Also an end without a request: the time limit, a lost microphone or button, a change of mode.
    PTChannelTransmitRequestSourceUnknown = 0,
    /// Here: `pttctl talk`.
    PTChannelTransmitRequestSourceUserRequest = 1,
    PTChannelTransmitRequestSourceDeveloperRequest = 2,
    /// A button of an accessory, Bluetooth or wired.
    PTChannelTransmitRequestSourceHandsfreeButton = 3,
} PTChannelTransmitRequestSource;

/// The state of the application's service.
typedef enum __attribute__((enum_extensibility(open))) PTServiceStatus : long {
    PTServiceStatusReady = 0,
    PTServiceStatusConnecting = 1,
    PTServiceStatusUnavailable = 2,
} PTServiceStatus;

/// The directions of a channel, and whether both are possible at the same time.
typedef enum __attribute__((enum_extensibility(open))) PTTransmissionMode : long {
    /// The channel can transmit while a remote participant talks.
    PTTransmissionModeFullDuplex = 0,
    /// The channel cannot transmit while a remote participant talks.
    PTTransmissionModeHalfDuplex = 1,
    /// The channel only receives.
    PTTransmissionModeListenOnly = 2,
} PTTransmissionMode;

/// Why a request about a channel failed; ``PTChannelError/Code``.
typedef enum __attribute__((enum_extensibility(open))) PTChannelErrorCode : long {
    /// Any other reason, a missing microphone for example, which ``PTChannelError/pttReason`` describes.
    PTChannelErrorCodeUnknown = 0,
    /// The channel is not joined by this application.
    PTChannelErrorCodeChannelNotFound = 1,
    /// A channel is joined already, by any application.
    PTChannelErrorCodeChannelLimitReached = 2,
    /// A call is active: end it first.
    PTChannelErrorCodeCallActive = 3,
    PTChannelErrorCodeTransmissionInProgress = 4,
    /// There is no transmission to end, or no remote participant to remove.
    PTChannelErrorCodeTransmissionNotFound = 5,
    PTChannelErrorCodeAppNotForeground = 6,
    /// Here: the policy file does not allow the application, or cannot be read.
    PTChannelErrorCodeDeviceManagementRestriction = 7,
    /// Here: the policy file closes push-to-talk at this time.
    PTChannelErrorCodeScreenTimeRestriction = 8,
    /// The transmission mode, the service status or a remote participant prevents the transmission.
    PTChannelErrorCodeTransmissionNotAllowed = 9,
} PTChannelErrorCode;

/// Why no channel manager was created; ``PTInstantiationError/Code``.
typedef enum __attribute__((enum_extensibility(open))) PTInstantiationErrorCode : long {
    PTInstantiationErrorCodeUnknown = 0,
    /// Here: `pttd` cannot be reached.
    PTInstantiationErrorCodeInvalidPlatform = 1,
    /// Here: the application's manifest has neither `systemd-unit` nor `bus-name`: it cannot be started.
    PTInstantiationErrorCodeMissingBackgroundMode = 2,
    /// Here: the application's manifest has no `push-environment`.
    PTInstantiationErrorCodeMissingPushServerEnvironment = 3,
    /// Here: the policy file excludes the application.
    PTInstantiationErrorCodeMissingEntitlement = 4,
    PTInstantiationErrorCodeInstantiationAlreadyInProgress = 5,
} PTInstantiationErrorCode;
