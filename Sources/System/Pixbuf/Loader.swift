import CGdkPixbuf

/// One decoding.
///
/// The decoder is chosen by the file's first bytes, never by gdk-pixbuf, which knows many more formats: SVG,
/// for example.
final class Loader {
    private let loader: UnsafeMutablePointer<GdkPixbufLoader>
    private var isClosed = false

    init(_ format: PictureFile.Format) throws(PixbufError) {
        var error: UnsafeMutablePointer<GError>?
        guard let loader = gdk_pixbuf_loader_new_with_type(format.rawValue, &error) else {
            throw .undecodable(text(of: error))
        }
        self.loader = loader
        // The header was read already. A decoder that reads it differently is stopped here: a picture without
        // size is an error for it.
        let prepared: @convention(c) (UnsafeMutablePointer<GdkPixbufLoader>?, gint, gint, gpointer?) -> Void =
            {
                loader,
                width,
                height,
                _ in
                guard width > Pixbuf.sideLimit || height > Pixbuf.sideLimit else { return }
                gdk_pixbuf_loader_set_size(loader, 0, 0)
            }
        g_signal_connect_data(
            loader,
            "size-prepared",
            // GCallback stands for a function of any type.
            unsafeBitCast(prepared, to: GCallback.self),
            nil,
            nil,
            GConnectFlags(rawValue: 0)
        )
    }

    deinit {
        // It must be closed before it is released; what it finds then is of no interest any more.
        if !isClosed { _ = gdk_pixbuf_loader_close(loader, nil) }
        g_object_unref(loader)
    }

    /// - Returns: The picture, which belongs to this object.
    func decode(_ bytes: [UInt8]) throws(PixbufError) -> OpaquePointer {
        var error: UnsafeMutablePointer<GError>?
        guard gdk_pixbuf_loader_write(loader, bytes, gsize(bytes.count), &error) != 0 else {
            throw .undecodable(text(of: error))
        }
        isClosed = true
        guard gdk_pixbuf_loader_close(loader, &error) != 0 else { throw .undecodable(text(of: error)) }
        guard let pixbuf = gdk_pixbuf_loader_get_pixbuf(loader) else { throw .malformed }
        return pixbuf
    }
}

/// Releases the error.
private func text(of error: UnsafeMutablePointer<GError>?) -> String {
    guard let error else { return "no reason was given" }
    defer { g_error_free(error) }
    return String(cString: error.pointee.message)
}
