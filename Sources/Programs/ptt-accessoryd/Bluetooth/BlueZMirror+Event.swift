import DBus

extension BlueZMirror {
    enum Event {
        /// bluetoothd is running, and its objects are known. Registrations with an earlier instance are gone.
        case appeared(BusConnection)
        /// An adapter was added, changed or removed.
        case adapterChanged
        /// A device, or an object below it, was added, changed or removed. Another strength of its signal is
        /// not reported.
        case deviceChanged(ObjectPath)
        /// A notification of a watched characteristic, or, if it is not known to be one, possibly the result
        /// of any client's read. Each notification is reported twice, at first as not known to be one.
        case valueReceived(ObjectPath, [UInt8], isNotification: Bool)
        /// A device has advertised other service data of BTHome than before.
        case advertised(ObjectPath, [UInt8])
        /// bluetoothd or the bus has stopped, and with it every link; or it was not running at the start.
        case lost
    }
}
