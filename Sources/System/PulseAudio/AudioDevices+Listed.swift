import CPulse
import Glibc
import JSON

extension AudioDevice {
    init(_ info: pa_source_info, _ own: OwnMarks) {
        self.init(
            index: info.index,
            name: text(info.name) ?? "",
            description: text(info.description) ?? "",
            isMuted: info.mute != 0,
            isSilent: withUnsafePointer(to: info.volume) { pa_cvolume_max($0) } == PA_VOLUME_MUTED,
            isRunning: info.state == PA_SOURCE_RUNNING,
            isMonitor: info.monitor_of_sink != .max
                || property("device.class", of: info.proplist) == "monitor",
            isOwn: own.marks(info.proplist),
            isHardware: info.flags.rawValue & PA_SOURCE_HARDWARE.rawValue != 0,
            isUnplugged: info.active_port?.pointee.available == Int32(PA_PORT_AVAILABLE_NO.rawValue),
            port: info.active_port.map {
                Port(name: text($0.pointee.name) ?? "", description: text($0.pointee.description) ?? "")
            },
            card: valid(info.card),
            isHeadsetLoopback: property("bluez5.loopback", of: info.proplist) == "true",
            owner: DeviceOwner(info.owner_module, info.proplist)
        )
    }
}

extension AudioSink {
    init(_ info: pa_sink_info, _ own: OwnMarks) {
        self.init(
            index: info.index,
            name: text(info.name) ?? "",
            isMuted: info.mute != 0,
            isSilent: withUnsafePointer(to: info.volume) { pa_cvolume_max($0) } == PA_VOLUME_MUTED,
            isOwn: own.marks(info.proplist),
            isHeadset: isWorn(info),
            card: valid(info.card),
            monitor: valid(info.monitor_source),
            owner: DeviceOwner(info.owner_module, info.proplist)
        )
    }
}

extension AudioStream {
    init(_ info: pa_source_output_info, _ own: OwnMarks) {
        self.init(
            index: info.index,
            device: info.source,
            isOwn: own.clients.contains(info.client),
            client: valid(info.client),
            name: text(info.name) ?? "",
            isCorked: info.corked != 0,
            isMuted: info.mute != 0,
            isSilent: info.has_volume != 0
                && withUnsafePointer(to: info.volume) { pa_cvolume_max($0) } == PA_VOLUME_MUTED,
            // PulseAudio's word for the quick resampling of volume controls. PipeWire has a property.
            isMeter: text(info.resample_method) == "peaks"
                || property("stream.monitor", of: info.proplist) == "true",
            owner: DeviceOwner(info.owner_module, info.proplist)
        )
        readProperties(info.proplist, own)
    }

    init(_ info: pa_sink_input_info, _ own: OwnMarks) {
        self.init(
            index: info.index,
            device: info.sink,
            isOwn: own.clients.contains(info.client),
            client: valid(info.client),
            name: text(info.name) ?? "",
            isCorked: info.corked != 0,
            isMuted: info.mute != 0,
            volumes: info.has_volume != 0 && info.volume_writable != 0 ? channels(of: info.volume) : [],
            owner: DeviceOwner(info.owner_module, info.proplist)
        )
        readProperties(info.proplist, own)
    }

    private mutating func readProperties(_ list: OpaquePointer?, _ own: OwnMarks) {
        applicationName = property("application.name", of: list)
        applicationID = property("application.id", of: list)
        processID = property("application.process.id", of: list)
        role = property("media.role", of: list)
        // Shortened it would be that of another stream.
        let key = list.flatMap { pa_proplist_gets($0, "module-stream-restore.id") }
        restoreID = key.flatMap { key in text(key).flatMap { $0.utf8.count == strlen(key) ? $0 : nil } }
        requestedDevice = property("target.object", of: list)
        isMarked = own.marks(list)
    }
}

extension AudioModule {
    init(_ info: pa_module_info, _ own: OwnMarks) {
        // That of our own modules has to be known as a whole.
        let argument = text(info.argument, longest: 4096) ?? ""
        self.init(index: info.index, name: text(info.name) ?? "", argument: argument)
    }
}

extension DeviceOwner {
    init(_ module: UInt32, _ properties: OpaquePointer?) {
        self.init(module: valid(module), linkGroup: property("node.link-group", of: properties))
    }
}

/// The port in use says it; if it says nothing, the kind of the device.
private func isWorn(_ sink: pa_sink_info) -> Bool {
    switch sink.active_port.map({ pa_device_port_type_t(rawValue: $0.pointee.type) }) {
    case PA_DEVICE_PORT_TYPE_HEADPHONES, PA_DEVICE_PORT_TYPE_HEADSET: true
    case PA_DEVICE_PORT_TYPE_SPEAKER, PA_DEVICE_PORT_TYPE_HDMI, PA_DEVICE_PORT_TYPE_TV,
        PA_DEVICE_PORT_TYPE_HANDSFREE, PA_DEVICE_PORT_TYPE_CAR, PA_DEVICE_PORT_TYPE_HIFI:
        false
    default: ["headset", "headphone"].contains(property("device.form_factor", of: sink.proplist))
    }
}

private func channels(of volume: pa_cvolume) -> [UInt32] {
    withUnsafeBytes(of: volume.values) {
        Array($0.bindMemory(to: pa_volume_t.self).prefix(Int(volume.channels)))
    }
}

private func valid(_ index: UInt32) -> UInt32? {
    index == .max ? nil : index
}

func property(_ name: String, of list: OpaquePointer?) -> String? {
    list.flatMap { text(pa_proplist_gets($0, name)) }
}

/// The string behind a pointer that libpulse owns, shortened to what every client can be told.
///
/// Programs and Bluetooth headsets choose it, and may choose 64 KiB of combining marks: clients refuse a
/// message with more than 30 in a row, and to compare them takes time quadratic in their number.
func text(_ pointer: UnsafePointer<CChar>?, longest: Int = 256) -> String? {
    pointer.map {
        let bytes = UnsafeRawBufferPointer(start: $0, count: strnlen($0, longest))
        return String(decoding: bytes, as: UTF8.self).withBoundedMarks
    }
}
