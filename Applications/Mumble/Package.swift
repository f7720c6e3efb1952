// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the daemons and whoever uses the library get none of its dependencies.

/// As in the package above.
let warnings: [SwiftSetting] =
    Context.environment["PTT_WARNINGS"] == "allow" ? [] : [.treatAllWarnings(as: .error)]

let strict =
    warnings + [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]

let package = Package(
    name: "push-to-talk-mumble",
    dependencies: [
        .package(name: "push-to-talk", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", exact: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", exact: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-protobuf", exact: "1.39.0"),
    ],
    targets: [
        .target(
            name: "MumbleCore",
            dependencies: [
                "CNetlink",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            exclude: ["Messages/Mumble.proto"],
            swiftSettings: strict
        ),
        .systemLibrary(name: "CNetlink"),
        .systemLibrary(name: "CTimer"),
        .systemLibrary(name: "COpus", pkgConfig: "opus", providers: [.apt(["libopus-dev"])]),
        .systemLibrary(name: "CSpeexDSP", pkgConfig: "speexdsp", providers: [.apt(["libspeexdsp-dev"])]),
        .executableTarget(
            name: "ptt-mumble",
            dependencies: [
                "CNetlink", "COpus", "CSpeexDSP", "CTimer", "MumbleCore",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "PushToTalk", package: "push-to-talk"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "MumbleCoreTests",
            dependencies: [
                "CNetlink", "MumbleCore", .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            swiftSettings: strict
        ),
    ]
)
