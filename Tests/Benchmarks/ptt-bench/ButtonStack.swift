import ChildProcess
import DBus
import EventLoop
import Glibc
import PTTMessages
import ServiceClient

/// A core, ptt-accessoryd and a bus of their own, with any number of look-alike buttons and of other devices
/// nearby.
@EventLoop
final class ButtonStack {
    let blueZ: PrivateBlueZ
    let accessoryd: ChildProcess
    let core: ChildProcess
    let busAddress: String
    private let stack: StackFixture
    private let directory: String
    private let children: [ChildProcess]
    private let observer: Observer

    /// Returns when every button is ready, in a channel, with the sound server of `stack`; or, if `sound` has
    /// the address of another and the text of `pttd.toml`, with that and without a channel.
    static func start(
        _ name: String,
        buttons: Int,
        neighbours: Int = 0,
        sound: (address: String, configuration: String)? = nil,
        on stack: StackFixture
    ) async throws -> ButtonStack {
        let directory = "\(stack.directory)/\(name)"
        guard mkdir(directory, 0o700) == 0 else { throw SystemError("create \(directory)") }
        let bus = "\(name)-bus"
        let busProcess = try stack.startBus(named: bus)
        try await stack.appearance(of: "\(stack.directory)/\(bus)")
        let address = "unix:path=\(stack.directory)/\(bus)"
        let blueZ = try await PrivateBlueZ.start(on: address, crowd: buttons, neighbours: neighbours)
        var environment = [
            "XDG_RUNTIME_DIR": directory, "XDG_CONFIG_HOME": directory, "HOME": directory,
            "DBUS_SYSTEM_BUS_ADDRESS": address,
        ]
        if let sound {
            environment["PULSE_SERVER"] = sound.address
            guard mkdir("\(directory)/pushtotalk", 0o700) == 0 else {
                throw SystemError("create a directory")
            }
            try write(sound.configuration, to: "\(directory)/pushtotalk/pttd.toml")
        }
        let core = try stack.start([stack.programs + "/pttd"], environment: environment)
        try await stack.appearance(of: directory + "/pushtotalk/core")
        try StackFixture.enrol(PrivateBlueZ.addresses(crowd: buttons), in: directory)
        let accessoryd = try stack.start([stack.programs + "/ptt-accessoryd"], environment: environment)
        try await stack.appearance(of: directory + "/pushtotalk/accessory")
        let observer = try Observer(subscribingAt: directory + "/pushtotalk/core")
        _ = try await observer.next("status")
        let result = ButtonStack(
            blueZ,
            accessoryd,
            core,
            busProcess,
            busAddress: address,
            on: stack,
            in: directory,
            observer
        )
        if sound == nil {
            try await result.withSockets { try await StackFixture.joinWhenAudioIsThere() }
        }
        // The button of every stack, and the crowd.
        try await result.withSockets { try await StackFixture.areReady(buttons + 1) }
        return result
    }

    private init(
        _ blueZ: PrivateBlueZ,
        _ accessoryd: ChildProcess,
        _ core: ChildProcess,
        _ bus: ChildProcess,
        busAddress: String,
        on stack: StackFixture,
        in directory: String,
        _ observer: Observer
    ) {
        (self.blueZ, self.accessoryd, self.core, self.stack) = (blueZ, accessoryd, core, stack)
        self.busAddress = busAddress
        (self.directory, self.observer) = (directory, observer)
        children = [accessoryd, core, bus]
    }

    func end() {
        for child in children { stack.end(child) }
    }

    /// Clients that `body` makes in this process find the sockets of these daemons.
    func withSockets<Result>(_ body: @EventLoop () async throws -> Result) async throws -> Result {
        setenv("XDG_RUNTIME_DIR", directory, 1)
        defer { setenv("XDG_RUNTIME_DIR", stack.directory, 1) }
        return try await body()
    }

    /// Presses the button.
    ///
    /// - Returns: The moment just before.
    func press() throws -> MonotonicInstant {
        try blueZ.notify(PrivateBlueZ.button, 1)
    }

    /// Presses the button during `body`, which receives the moment just before.
    func transmit(_ body: (MonotonicInstant) async throws -> Duration) async throws -> Duration {
        let start = try press()
        do {
            let result = try await body(start)
            try await endPress()
            return result
        } catch {
            try await endPress()
            throw error
        }
    }

    /// Releases the button, and returns when the microphone is closed.
    func endPress() async throws {
        _ = try blueZ.notify(PrivateBlueZ.button, 0)
        _ = try await observer.next(#""audioDeactivated""#)
    }

    /// Presses a button until the microphone is open, and releases it.
    ///
    /// - Returns: The time from the notification of the release to "transmission ended" at a subscriber.
    func release(_ button: ObjectPath) async throws -> Duration {
        _ = try blueZ.notify(button, 1)
        _ = try await observer.next(#""transmissionBegan""#)
        let start = try blueZ.notify(button, 0)
        let time = try await observer.next(#""transmissionEnded""#).time - start
        _ = try await observer.next(#""audioDeactivated""#)
        return time
    }
}
