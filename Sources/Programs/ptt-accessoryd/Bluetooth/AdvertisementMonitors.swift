import DBus
import EventLoop

extension BlueZRegistration.Kind {
    /// One `AdvertisementMonitor1` for each adapter (org.bluez.AdvertisementMonitor), while which bluetoothd
    /// has the kernel scan passively, without sending anything.
    ///
    /// `changed` is called when bluetoothd has begun or given up to monitor for an adapter.
    static func advertisements(
        changed: @escaping @EventLoop (_ key: BlueZRegistration.Key, _ isActive: Bool) -> Void
    ) -> Self {
        Self(
            manager: BlueZ.advertisementMonitorManager,
            methods: ("RegisterMonitor", "UnregisterMonitor"),
            consequence: "buttons that advertise their presses do not work",
            path: { "advertisements_" + ($0.manager.text.split(separator: "/").last ?? "") },
            interface: { key in
                ExportedInterface(
                    "org.bluez.AdvertisementMonitor1",
                    methods: [
                        ExportedMethod("Activate") {
                            $0.reply()
                            changed(key, true)
                        },
                        ExportedMethod("Release") {
                            $0.reply()
                            changed(key, false)
                        },
                        // What was advertised is a property of the device.
                        ExportedMethod("DeviceFound", inputs: ["device": "o"]) { $0.reply() },
                        ExportedMethod("DeviceLost", inputs: ["device": "o"]) { $0.reply() },
                    ],
                    properties: properties
                )
            }
        )
    }

    /// At the begin of the data of type 16 (service data of a 16-bit UUID). An adapter that compares by
    /// itself finds the UUID there, and bluetoothd what follows the UUID (`match_service` in
    /// src/shared/ad.c): version 2, encrypted or not, sent regularly or by a press.
    private static let patterns: [[UInt8]] = [[0xD2, 0xFC], [0x40], [0x41], [0x44], [0x45]]

    private static var properties: [ExportedProperty] {
        [
            ExportedProperty("Type", "s") { .string("or_patterns") },
            // An adapter that compares by itself would report the first advertisement alone.
            ExportedProperty("RSSISamplingPeriod", "q") { .uint16(0) },
            ExportedProperty("Patterns", "a(yyay)") {
                .array(of: "(yyay)", patterns.map { .structure([.byte(0), .byte(0x16), .bytes($0)]) })
            },
        ]
    }
}
