import Bitmap
import IndicatorCore

/// A picture in the forms that the desktop shows. Desktops receive these, never the bytes of a stranger.
struct ShownPicture: Sendable {
    /// For the tray item, round.
    let icons: [Bitmap]
    /// For the menu: a PNG file.
    let png: [UInt8]
    /// For the notification.
    let notification: Bitmap

    private static let menuSize = 32

    /// - Parameter picture: Of ``PictureDecoder/size``.
    /// - Throws: If there is no memory.
    init(_ picture: Bitmap) throws(BitmapError) {
        notification = picture
        png = try picture.scaled(to: Self.menuSize).png()
        icons = try PanelIcon.sizes.map { size throws(BitmapError) in
            try picture.scaled(to: size).round
        }
    }
}
