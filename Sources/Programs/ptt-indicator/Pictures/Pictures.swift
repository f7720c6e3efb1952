import Bitmap
import EventLoop
import IndicatorCore
import Logging
import PTTMessages

/// The pictures that are shown: fetched from the core, decoded in a process of their own, and kept until they
/// are dropped.
@EventLoop
final class Pictures {
    private let core: CoreRequests
    private let decoder = PictureDecoder()
    private let log: Logger
    /// Called once for each picture that was asked for and not dropped, with whether it can be shown.
    var fetched: @EventLoop (_ imageID: String, _ isUsable: Bool) -> Void = { _, _ in }

    private enum Progress {
        case fetching
        case ready(ShownPicture)
    }

    private var pictures: [String: Progress] = [:]

    init(core: CoreRequests, log: Logger) {
        self.core = core
        self.log = log
    }

    /// The picture, if it is ready.
    func picture(_ imageID: String) -> ShownPicture? {
        switch pictures[imageID] {
        case .ready(let picture): picture
        case .fetching, nil: nil
        }
    }

    func fetch(_ imageID: String) {
        pictures[imageID] = .fetching
        core.image(imageID) { [weak self] image in
            guard let image else { return self?.finish(imageID, nil) ?? () }
            self?.decode(imageID, image.bytes)
        }
    }

    func drop(_ imageID: String) {
        pictures[imageID] = nil
        decoder.drop(imageID)
    }

    private func decode(_ imageID: String, _ bytes: [UInt8]) {
        guard pictures[imageID] != nil else { return }
        decoder.decode(imageID, bytes) { [weak self] result in
            do {
                self?.finish(imageID, try ShownPicture(result.get()))
            } catch {
                self?.log.info("image \(imageID): \(error)")
                self?.finish(imageID, nil)
            }
        }
    }

    private func finish(_ imageID: String, _ picture: ShownPicture?) {
        guard pictures[imageID] != nil else { return }
        pictures[imageID] = picture.map { .ready($0) }
        fetched(imageID, picture != nil)
    }
}
