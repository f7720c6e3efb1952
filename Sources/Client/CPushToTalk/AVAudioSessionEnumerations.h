#pragma once

/// The beginning or the end of an interruption.
typedef enum __attribute__((enum_extensibility(open))) AVAudioSessionInterruptionType : unsigned long {
    AVAudioSessionInterruptionTypeEnded = 0,
    AVAudioSessionInterruptionTypeBegan = 1,
} AVAudioSessionInterruptionType;

/// Why the microphone or the speaker has changed. Here always `routeConfigurationChange`.
typedef enum __attribute__((enum_extensibility(open))) AVAudioSessionRouteChangeReason : unsigned long {
    AVAudioSessionRouteChangeReasonUnknown = 0,
    AVAudioSessionRouteChangeReasonNewDeviceAvailable = 1,
    AVAudioSessionRouteChangeReasonOldDeviceUnavailable = 2,
    AVAudioSessionRouteChangeReasonCategoryChange = 3,
    AVAudioSessionRouteChangeReasonOverride = 4,
    AVAudioSessionRouteChangeReasonWakeFromSleep = 6,
    AVAudioSessionRouteChangeReasonNoSuitableRouteForCategory = 7,
    AVAudioSessionRouteChangeReasonRouteConfigurationChange = 8,
} AVAudioSessionRouteChangeReason;

/// The application's permission to record. Here always `granted`.
typedef enum __attribute__((enum_extensibility(open))) AVAudioSessionRecordPermission : unsigned long {
    /// `'undt'`
    AVAudioSessionRecordPermissionUndetermined = 0x756E6474,
    /// `'deny'`
    AVAudioSessionRecordPermissionDenied = 0x64656E79,
    /// `'grnt'`
    AVAudioSessionRecordPermissionGranted = 0x67726E74,
} AVAudioSessionRecordPermission;

/// An output that overrides the route's. It has no effect here.
typedef enum __attribute__((enum_extensibility(open))) AVAudioSessionPortOverride : unsigned long {
    AVAudioSessionPortOverrideNone = 0,
    /// `'spkr'`
    AVAudioSessionPortOverrideSpeaker = 0x73706B72,
} AVAudioSessionPortOverride;

/// The sharing of the output with other applications. It has no effect here.
typedef enum __attribute__((enum_extensibility(open))) AVAudioSessionRouteSharingPolicy : unsigned long {
    AVAudioSessionRouteSharingPolicyDefault = 0,
    AVAudioSessionRouteSharingPolicyLongFormAudio = 1,
    AVAudioSessionRouteSharingPolicyIndependent = 2,
    AVAudioSessionRouteSharingPolicyLongFormVideo = 3,
} AVAudioSessionRouteSharingPolicy;

/// Why a call to the audio session failed. Here only `isBusy` and `resourceNotAvailable`.
typedef enum __attribute__((enum_extensibility(open))) AVAudioSessionErrorCode : long {
    AVAudioSessionErrorCodeNone = 0,
    /// `'msrv'`
    AVAudioSessionErrorCodeMediaServicesFailed = 0x6D737276,
    /// `'!act'`
    AVAudioSessionErrorCodeIsBusy = 0x21616374,
    /// `'!cat'`
    AVAudioSessionErrorCodeIncompatibleCategory = 0x21636174,
    /// `'!int'`
    AVAudioSessionErrorCodeCannotInterruptOthers = 0x21696E74,
    /// `'ent?'`
    AVAudioSessionErrorCodeMissingEntitlement = 0x656E743F,
    /// `'siri'`
    AVAudioSessionErrorCodeSiriIsRecording = 0x73697269,
    /// `'!pla'`
    AVAudioSessionErrorCodeCannotStartPlaying = 0x21706C61,
    /// `'!rec'`
    AVAudioSessionErrorCodeCannotStartRecording = 0x21726563,
    AVAudioSessionErrorCodeBadParam = -50,
    /// `'!pri'`
    AVAudioSessionErrorCodeInsufficientPriority = 0x21707269,
    /// `'!res'`
    AVAudioSessionErrorCodeResourceNotAvailable = 0x21726573,
    /// `'what'`
    AVAudioSessionErrorCodeUnspecified = 0x77686174,
    /// `'!ses'`
    AVAudioSessionErrorCodeExpiredSession = 0x21736573,
    /// `'inac'`
    AVAudioSessionErrorCodeSessionNotActive = 0x696E6163,
} AVAudioSessionErrorCode;

/// The application's permission to record. Here always `granted`.
typedef enum __attribute__((enum_extensibility(open))) AVAudioApplicationRecordPermission : long {
    /// `'undt'`
    AVAudioApplicationRecordPermissionUndetermined = 0x756E6474,
    /// `'deny'`
    AVAudioApplicationRecordPermissionDenied = 0x64656E79,
    /// `'grnt'`
    AVAudioApplicationRecordPermissionGranted = 0x67726E74,
} AVAudioApplicationRecordPermission;
