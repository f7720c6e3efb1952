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
    private let log: Logger
    private let post: @EventLoop (Indicator.Event) -> Void
    private let decoder = PictureDecoder()
    private var fetching: Set<String> = []
    private var pictures: [String: ShownPicture] = [:]

    /// `post` is told of each picture that can be shown.
    init(core: CoreRequests, log: Logger, post: @escaping @EventLoop (Indicator.Event) -> Void) {
        self.core = core
        self.log = log
        self.post = post
    }

    /// The picture, if it is ready.
    func picture(_ imageID: String) -> ShownPicture? { pictures[imageID] }

    func fetch(_ imageID: String) {
        fetching.insert(imageID)
        core.image(imageID) { [weak self] image in self?.decode(imageID, image) }
    }

    func drop(_ imageID: String) {
        fetching.remove(imageID)
        pictures[imageID] = nil
        decoder.drop(imageID)
    }

    private func decode(_ imageID: String, _ image: Image?) {
        // It may have been dropped meanwhile.
        guard fetching.remove(imageID) != nil, let image else { return }
        decoder.decode(imageID, image.bytes) { [weak self] result in
            do {
                self?.pictures[imageID] = try ShownPicture(result.get())
                self?.post(.imageReady(imageID))
            } catch {
                self?.log.info("image \(imageID): \(error)")
            }
        }
    }
}
