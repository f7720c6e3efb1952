@_exported public import PTTPlatformTypes
