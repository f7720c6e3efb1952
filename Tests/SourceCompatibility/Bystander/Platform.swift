// Code of somebody else in the same package graph, which asks where it is.
public enum Platform {
    public static var isApple: Bool {
        #if canImport(UIKit) || canImport(AVFAudio) || canImport(AVFoundation)
            true
        #else
            false
        #endif
    }
}
