import CPulse

extension StreamRequest {
    /// The most that the server stores.
    var storedByteCount: Int {
        // Half a second: a reader that falls further behind receives newer audio instead of old.
        max(stored * 4, format.byteCount(of: bufferLimit ?? .milliseconds(500)))
    }

    func bufferAttributes(_ direction: StreamHandle.Direction) -> pa_buffer_attr {
        let unset = UInt32.max
        var attributes = pa_buffer_attr(
            maxlength: UInt32(clamping: storedByteCount),
            tlength: unset,
            prebuf: unset,
            minreq: unset,
            fragsize: unset
        )
        switch direction {
        case .capture:
            attributes.fragsize = UInt32(clamping: stored)
        case .playback:
            attributes.tlength = UInt32(clamping: stored)
            if let portion { attributes.minreq = UInt32(clamping: format.byteCount(of: portion)) }
            attributes.prebuf = UInt32(
                clamping: max(format.byteCount(of: prebuffer), format.bytesPerSampleFrame)
            )
        }
        return attributes
    }

    func flags(_ direction: StreamHandle.Direction) -> pa_stream_flags_t {
        var flags = (portion == nil ? PA_STREAM_ADJUST_LATENCY : PA_STREAM_EARLY_REQUESTS).rawValue
        switch direction {
        case .capture:
            flags |= PA_STREAM_START_CORKED.rawValue | PA_STREAM_DONT_MOVE.rawValue
        case .playback:
            if startsCorked { flags |= PA_STREAM_START_CORKED.rawValue }
            if staysOnDevice { flags |= PA_STREAM_DONT_MOVE.rawValue }
        }
        return pa_stream_flags_t(rawValue: flags)
    }

    /// In bytes.
    private var stored: Int { max(format.byteCount(of: latency), format.bytesPerSampleFrame) }
}
