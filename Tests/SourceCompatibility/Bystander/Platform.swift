// Another package's code in the same package graph, which tests for the platform.
public enum Platform {
    public static var isApple: Bool {
        #if canImport(UIKit) || canImport(AVFAudio) || canImport(AVFoundation)
            true
        #else
            false
        #endif
    }
}
