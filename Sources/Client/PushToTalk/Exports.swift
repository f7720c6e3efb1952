// As on iOS, `import PushToTalk` alone makes every type of its interface available.
@_exported public import Foundation
@_exported public import PTTPlatformTypes
