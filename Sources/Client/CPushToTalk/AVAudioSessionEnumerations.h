#pragma once

/// Whether an interruption begins or ends.
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

/// Whether the application may record. Here always `granted`.
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

/// Whether the application may record. Here always `granted`.
typedef enum __attribute__((enum_extensibility(open))) AVAudioApplicationRecordPermission : long {
    /// `'undt'`
    AVAudioApplicationRecordPermissionUndetermined = 0x756E6474,
    /// `'deny'`
    AVAudioApplicationRecordPermissionDenied = 0x64656E79,
    /// `'grnt'`
    AVAudioApplicationRecordPermissionGranted = 0x67726E74,
} AVAudioApplicationRecordPermission;
