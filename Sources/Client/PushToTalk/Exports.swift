// As on iOS, `import PushToTalk` alone is enough for all that stands in its interface.
@_exported public import Foundation
@_exported public import PTTPlatformTypes
