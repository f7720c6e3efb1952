@testable import PulseAudio

extension AudioDevice {
    static let tone = AudioDevice.microphone(1, "tone")

    static func microphone(_ index: UInt32, _ name: String, module: UInt32? = nil) -> AudioDevice {
        AudioDevice(
            index: index,
            name: name,
            isMuted: false,
            isMonitor: false,
            isOwn: false,
            isHardware: false,
            isUnplugged: false,
            owner: DeviceOwner(module: module, linkGroup: nil)
        )
    }

    static func monitor(_ index: UInt32, _ name: String) -> AudioDevice {
        AudioDevice(
            index: index,
            name: name,
            isMuted: false,
            isMonitor: true,
            isOwn: false,
            isHardware: false,
            isUnplugged: false,
            owner: DeviceOwner(module: nil, linkGroup: nil)
        )
    }

    static func own(_ index: UInt32, module: UInt32, isMuted: Bool = false) -> AudioDevice {
        AudioDevice(
            index: index,
            name: "ptt_mic",
            isMuted: isMuted,
            isMonitor: false,
            isOwn: true,
            isHardware: false,
            isUnplugged: false,
            owner: DeviceOwner(module: module, linkGroup: nil)
        )
    }
}

extension AudioSink {
    static let speaker = AudioSink(
        index: 2,
        name: "speaker",
        isMuted: false,
        isOwn: false,
        monitor: nil,
        owner: DeviceOwner(module: nil, linkGroup: nil)
    )

    static func feed(_ index: UInt32, module: UInt32, monitor: UInt32, isMuted: Bool = true)
        -> AudioSink
    {
        AudioSink(
            index: index,
            name: "ptt_feed",
            isMuted: isMuted,
            isOwn: true,
            monitor: monitor,
            owner: DeviceOwner(module: module, linkGroup: nil)
        )
    }
}
