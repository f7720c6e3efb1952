import CPulse

/// Calls `body` with libpulse's form of a property list (`application.name`, `media.role`, …).
///
/// Keys that libpulse does not accept (they must be ASCII) are omitted.
func withProperties<Result>(_ properties: [String: String], _ body: (OpaquePointer?) -> Result) -> Result {
    let list = pa_proplist_new()
    defer { pa_proplist_free(list) }
    for (key, value) in properties {
        // Properties only inform other programs; a stream works without them.
        _ = pa_proplist_sets(list, key, value)
    }
    return body(list)
}

/// The string behind a pointer that libpulse owns.
func text(_ pointer: UnsafePointer<CChar>?) -> String? {
    pointer.map { String(cString: $0) }
}
