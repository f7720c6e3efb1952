extension AccessoryInterface {
    /// The interface text that `org.varlink.service.GetInterfaceDescription` answers with.
    package static let description = """
        # Push-to-talk buttons and headset keys of this machine.
        #
        # Published versions of this interface are never changed incompatibly; fields may be added, and a client must
        # accept values that it does not know.
        interface org.pushtotalk.Accessory

        type DeviceKind (unknown, application, commandLine, bluetoothButton, wiredHeadset)

        # hold: talk while it is held. toggle: one press begins, the next ends.
        type ButtonMode (unknown, hold, toggle)

        # away: not connected. connecting: services are being looked up. ready: a press will be heard.
        # unused: present but not used, remark says why.
        type LinkState (unknown, away, connecting, ready, unused)

        type Device (kind: DeviceKind, identifier: string, name: string, profile: ?string, mode: ButtonMode,
          link: LinkState, isPressed: bool, remark: ?string)

        type EventKind (unknown, deviceAdded, deviceChanged, deviceRemoved, pressed, released, ignored, coreConnected,
          coreLost)

        # value: what arrived, in hexadecimal or as a key name.
        type Event (kind: EventKind, device: ?Device, value: ?string, remark: ?string)

        method GetDevices() -> (devices: []Device, isCoreConnected: bool)

        # Call with "more". The first answer has all devices, each that follows has one event. sequence grows by one
        # with each event, time is in microseconds of the monotonic clock.
        method Subscribe() -> (sequence: int, time: int, devices: ?[]Device, event: ?Event)

        # Found by a scan. profile: what its advertised services fit, if any.
        type Discovery (address: string, name: string, rssi: ?int, profile: ?string, isPaired: bool)

        # Call with "more". Looks for Bluetooth devices for 1 to 120 seconds and answers once per device found or
        # found again; the last answer has no device. Close the connection to stop early.
        method Scan(seconds: int) -> (device: ?Discovery)

        # Connects, bonds if the device asks for it, and trusts, so that its presses are used and it reconnects by
        # itself. Takes up to a minute.
        method Pair(address: string) -> (device: Device)

        # Removes a Bluetooth device and its bond.
        method Forget(address: string) -> ()

        error BluetoothUnavailable (reason: string)

        error DeviceNotFound (reason: string)

        error PairingFailed (reason: string)

        error SubscriberLagged ()
        """
}
