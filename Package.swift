// swift-tools-version: 6.2
import Foundation
import PackageDescription

// Rings are folders: Core decides, System touches Linux, Client and Programs join them.
// Arrows point down only; `Sources/README.md` is the map.

/// A newer compiler has warnings that nobody has seen: who packages a release allows them.
/// https://github.com/swiftlang/swift-evolution/blob/main/proposals/0480-swiftpm-warning-control.md
let warnings: [SwiftSetting] =
    Context.environment["PTT_WARNINGS"] == "allow" ? [] : [.treatAllWarnings(as: .error)]

let strict =
    warnings + [
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
        .enableUpcomingFeature("ExistentialAny"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
        .enableUpcomingFeature("InternalImportsByDefault"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
        .enableUpcomingFeature("MemberImportVisibility"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]

/// For pure values whose tests walk many paths, which take three times as long without optimisation.
/// Assertions stay.
let optimized: [SwiftSetting] =
    strict + [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]

/// In a source archive, which builds without a network.
func vendored(_ name: String) -> Package.Dependency? {
    let path = "\(Context.packageDirectory)/Vendor/\(name)"
    return FileManager.default.fileExists(atPath: path) ? .package(path: path) : nil
}

func swift(
    _ ring: String,
    _ name: String,
    _ dependencies: [Target.Dependency],
    _ settings: [SwiftSetting] = strict
) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(ring)/\(name)", swiftSettings: settings)
}

func system(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    swift("System", name, dependencies)
}

func client(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    swift("Client", name, dependencies)
}

func library(_ name: String, pkgConfig: String, debian: String) -> Target {
    .systemLibrary(
        name: name,
        path: "Sources/System/\(name)",
        pkgConfig: pkgConfig,
        providers: [.apt([debian])]
    )
}

func program(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .executableTarget(
        name: name,
        dependencies: dependencies,
        path: "Sources/Programs/\(name)",
        swiftSettings: strict
    )
}

/// `data`: folders that the tests read and the compiler does not.
func tests(
    _ name: String,
    _ dependencies: Target.Dependency...,
    data: [String] = [],
    settings: [SwiftSetting] = strict
) -> Target {
    .testTarget(
        name: name,
        dependencies: dependencies,
        path: "Tests/\(name)",
        exclude: data,
        swiftSettings: settings
    )
}

func application(_ name: String, _ mode: SwiftLanguageMode, _ more: SwiftSetting...) -> Target {
    .target(
        name: name,
        dependencies: ["PushToTalk"],
        path: "Tests/SourceCompatibility/\(name)",
        swiftSettings: [.swiftLanguageMode(mode)] + more
    )
}

let log = Target.Dependency.product(name: "Logging", package: "swift-log")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "push-to-talk",
    products: [
        .library(name: "PushToTalk", targets: ["PushToTalk"])
    ],
    dependencies: [
        vendored("swift-argument-parser")
            ?? .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        vendored("swift-log") ?? .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    ],
    targets: [
        .target(
            name: "PTTMessages",
            path: "Sources/Core/PTTMessages",
            resources: ["Accessory", "Action", "Application", "Channel", "Key", "Push"].map {
                .embedInCode("Interfaces/org.pushtotalk.\($0).varlink")
            },
            swiftSettings: optimized
        ),
        swift("Core", "PTTCore", ["PTTMessages"], optimized),
        swift("Core", "AccessoryCore", ["PTTMessages"], optimized),
        swift("Core", "IndicatorCore", ["PTTMessages"]),

        library("CBluetooth", pkgConfig: "bluez", debian: "libbluetooth-dev"),
        library("CDBus", pkgConfig: "dbus-1", debian: "libdbus-1-dev"),
        library("CEvdev", pkgConfig: "libevdev", debian: "libevdev-dev"),
        library("CNettle", pkgConfig: "nettle", debian: "nettle-dev"),
        library("CPNG", pkgConfig: "libpng", debian: "libpng-dev"),
        library("CPulse", pkgConfig: "libpulse", debian: "libpulse-dev"),
        library("CSystemd", pkgConfig: "libsystemd", debian: "libsystemd-dev"),
        library("CTurboJPEG", pkgConfig: "libturbojpeg", debian: "libturbojpeg0-dev"),
        library("CUdev", pkgConfig: "libudev", debian: "libudev-dev"),
        library("CWebP", pkgConfig: "libwebp", debian: "libwebp-dev"),
        .target(name: "CLinux", path: "Sources/System/CLinux"),
        .target(name: "CSpawn", path: "Sources/System/CSpawn"),
        .target(name: "CTOML", path: "Sources/System/CTOML"),
        system("EventLoop", "CLinux", "CSystemd"),
        system("ChildProcess", "CSpawn", "EventLoop"),
        system("JSON"),
        system("TOML", "CTOML", "EventLoop", "JSON"),
        system("Journal", "EventLoop", log),
        system("Varlink", "EventLoop", "JSON"),
        system("DBus", "CDBus", "EventLoop"),
        system("Logind", "DBus", "EventLoop", log),
        system("Input", "CEvdev", "CLinux", "CUdev", "EventLoop"),
        system("PulseAudio", "CPulse", "EventLoop", "JSON"),
        system("AESCCM", "CNettle"),
        system("RFCOMM", "CBluetooth", "EventLoop"),
        system("WAV", "EventLoop"),
        system("Bitmap", "CPNG", "CTurboJPEG", "CWebP"),

        client("Invocation", "EventLoop", "PTTMessages"),
        client("ServiceClient", "EventLoop", "JSON", "PTTMessages", "Varlink"),
        client("AccessoryFiles", "AccessoryCore", "EventLoop", "JSON", "PTTMessages", "TOML"),
        client(
            "CommandLineTool",
            "EventLoop",
            "Invocation",
            "JSON",
            "PTTMessages",
            "ServiceClient",
            arguments
        ),
        client("CoreConfiguration", "EventLoop", "JSON", "PTTCore", "PTTMessages", "TOML"),
        .systemLibrary(name: "CPushToTalk", path: "Sources/Client/CPushToTalk"),
        client("PTTPlatformTypes", "CPushToTalk"),
        client("PushToTalk", "ServiceClient", "EventLoop", "PTTMessages", "PTTPlatformTypes", "TOML"),

        program(
            "pttd",
            "CoreConfiguration",
            "ServiceClient",
            "DBus",
            "EventLoop",
            "Invocation",
            "JSON",
            "Journal",
            "Logind",
            "PTTCore",
            "PTTMessages",
            "PulseAudio",
            "TOML",
            "Varlink",
            "WAV",
            log
        ),
        program(
            "ptt-accessoryd",
            "AESCCM",
            "AccessoryCore",
            "AccessoryFiles",
            "ServiceClient",
            "DBus",
            "EventLoop",
            "Input",
            "Invocation",
            "JSON",
            "Journal",
            "Logind",
            "PTTMessages",
            "RFCOMM",
            "Varlink",
            log
        ),
        program(
            "ptt-indicator",
            "Bitmap",
            "ChildProcess",
            "DBus",
            "EventLoop",
            "IndicatorCore",
            "Invocation",
            "Journal",
            "Logind",
            "PTTMessages",
            "ServiceClient",
            "TOML",
            log
        ),
        program(
            "ptt-actions",
            "AccessoryCore",
            "AccessoryFiles",
            "DBus",
            "EventLoop",
            "Invocation",
            "JSON",
            "Journal",
            "Logind",
            "PTTMessages",
            "ServiceClient",
            "Varlink",
            "WAV",
            log
        ),
        program(
            "ptt-keys",
            "EventLoop",
            "Input",
            "Invocation",
            "JSON",
            "Journal",
            "PTTMessages",
            "Varlink",
            log
        ),
        program("ptt-echo", "Invocation", "PushToTalk"),
        // The code of Applications.md and of the first steps, built as an application builds it.
        .executableTarget(name: "radio", dependencies: ["PushToTalk"], path: "Examples/radio"),
        program(
            "pttctl",
            "AccessoryCore",
            "AccessoryFiles",
            "CommandLineTool",
            "ServiceClient",
            "EventLoop",
            "IndicatorCore",
            "Input",
            "Invocation",
            "JSON",
            "PTTMessages",
            "WAV",
            arguments
        ),
        program(
            "ptt-doctor",
            "AccessoryCore",
            "AccessoryFiles",
            "CommandLineTool",
            "CoreConfiguration",
            "DBus",
            "ServiceClient",
            "EventLoop",
            "Input",
            "Invocation",
            "JSON",
            "PTTMessages",
            "PulseAudio",
            "TOML",
            "Varlink",
            arguments
        ),
        program(
            "ptt-sim",
            "AccessoryCore",
            "AccessoryFiles",
            "ChildProcess",
            "ServiceClient",
            "DBus",
            "EventLoop",
            "Input",
            "PTTMessages",
            "PulseAudio",
            "TOML",
            "WAV",
            arguments
        ),

        .executableTarget(
            name: "ptt-system-tests",
            dependencies: [
                "AccessoryCore", "AccessoryFiles", "ChildProcess", "ServiceClient", "EventLoop", "Input",
                "JSON",
                "PTTMessages",
            ],
            path: "Tests/SystemTests/Driver",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "ptt-stepped-application",
            dependencies: ["ServiceClient", "EventLoop", "PTTMessages"],
            path: "Tests/SteppedApplication",
            swiftSettings: strict
        ),
        .target(name: "CBaseline", dependencies: ["CDBus", "CPulse"], path: "Tests/Benchmarks/CBaseline"),
        .executableTarget(
            name: "ptt-bench",
            dependencies: [
                "CBaseline", "ChildProcess", "ServiceClient", "DBus", "EventLoop", "PTTMessages",
                "TestSupport", "Varlink",
            ],
            path: "Tests/Benchmarks/ptt-bench",
            swiftSettings: strict
        ),
        .target(
            name: "TestSupport",
            dependencies: ["AccessoryCore", "AccessoryFiles", "ChildProcess", "DBus", "EventLoop"],
            path: "Tests/TestSupport",
            // For comparing sounds, and what each test uses.
            swiftSettings: optimized
        ),
        tests(
            "pttdTests",
            "CoreConfiguration",
            "DBus",
            "EventLoop",
            "JSON",
            "PTTCore",
            "PTTMessages",
            "PulseAudio",
            "TOML",
            "TestSupport",
            "Varlink",
            "WAV",
            "pttd",
            log,
            data: ["Disk"]
        ),
        tests("ptt_doctorTests", "Input", "PTTMessages", "PulseAudio", "ptt-doctor"),
        tests(
            "ptt_indicatorTests",
            "Bitmap",
            "ChildProcess",
            "DBus",
            "EventLoop",
            "IndicatorCore",
            "JSON",
            "PTTMessages",
            "TestSupport",
            "Varlink",
            "ptt-indicator"
        ),
        tests(
            "pttctlTests",
            "AccessoryCore",
            "AccessoryFiles",
            "CommandLineTool",
            "DBus",
            "EventLoop",
            "Input",
            "JSON",
            "PTTMessages",
            "ServiceClient",
            "TestSupport",
            "Varlink",
            "ptt-doctor",
            "pttctl"
        ),
        tests("ptt_simTests", "DBus", "EventLoop", "Input", "TestSupport", "ptt-sim"),
        tests(
            "ptt_accessorydTests",
            "AccessoryCore",
            "AccessoryFiles",
            "DBus",
            "EventLoop",
            "Input",
            "JSON",
            "Journal",
            "PTTMessages",
            "TestSupport",
            "Varlink",
            "ptt-accessoryd",
            "ptt-sim"
        ),
        tests(
            "ptt_actionsTests",
            "AccessoryCore",
            "DBus",
            "EventLoop",
            "JSON",
            "PTTMessages",
            "TestSupport",
            "Varlink",
            "WAV",
            log,
            "ptt-actions"
        ),
        // Applications as they are written for iOS: one per idiom, in the language mode that it is written
        // in.
        application("BareClient", .v5),
        application("CallbackClient", .v5),
        application("PlainClient", .v5),
        application("AsyncClient", .v6),
        application("MainActorClient", .v6),
        application("StrictClient", .v6),
        application(
            "TemplateClient",
            .v6,
            .defaultIsolation(MainActor.self),
            .enableUpcomingFeature("InferIsolatedConformances"),
            .enableUpcomingFeature("NonisolatedNonsendingByDefault")
        ),
        .target(name: "Bystander", path: "Tests/SourceCompatibility/Bystander"),
        tests(
            "PushToTalkTests",
            "AsyncClient",
            "BareClient",
            "Bystander",
            "CallbackClient",
            "ServiceClient",
            "EventLoop",
            "JSON",
            "MainActorClient",
            "PTTMessages",
            "PTTPlatformTypes",
            "PlainClient",
            "PushToTalk",
            "StrictClient",
            "TemplateClient",
            "TestSupport",
            "Varlink",
            data: ["Symbols"]
        ),
        tests(
            "ServiceClientTests",
            "EventLoop",
            "JSON",
            "PTTMessages",
            "ServiceClient",
            "TestSupport",
            "Varlink"
        ),
        tests(
            "AccessoryFilesTests",
            "AccessoryCore",
            "AccessoryFiles",
            "EventLoop",
            "PTTMessages",
            "TOML",
            "TestSupport",
            settings: optimized
        ),
        tests("DBusTests", "DBus", "EventLoop", "TestSupport"),
        tests("PTTMessagesTests", "PTTMessages"),
        tests(
            "PTTCoreTests",
            "PTTCore",
            "PTTMessages",
            "TestSupport",
            data: ["Scenarios", "Transitions"],
            settings: optimized
        ),
        tests(
            "AccessoryCoreTests",
            "AccessoryCore",
            "AccessoryFiles",
            "PTTMessages",
            "TOML",
            "TestSupport",
            data: ["Recordings"],
            settings: optimized
        ),
        tests("IndicatorCoreTests", "IndicatorCore", "PTTMessages", "TestSupport"),
        tests("ChildProcessTests", "CSpawn", "ChildProcess", "EventLoop", "TestSupport"),
        tests("EventLoopTests", "EventLoop", "TestSupport"),
        tests("InputTests", "CLinux", "EventLoop", "Input", "TestSupport", "ptt-keys"),
        tests("InvocationTests", "ChildProcess", "EventLoop", "Invocation", "PTTMessages", "TestSupport"),
        tests("LogindTests", "DBus", "Logind"),
        tests("JSONTests", "JSON"),
        tests("JournalTests", "EventLoop", "Journal", "PTTMessages", "TestSupport", log),
        tests("PulseAudioTests", "EventLoop", "PulseAudio", "TestSupport"),
        tests("AESCCMTests", "AESCCM"),
        tests("RFCOMMTests", "EventLoop", "RFCOMM", "TestSupport"),
        tests("TOMLTests", "TOML"),
        tests("BitmapTests", "Bitmap"),
        tests("WAVTests", "WAV"),
        tests("VarlinkTests", "EventLoop", "JSON", "TestSupport", "Varlink"),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
