package import EventLoop

/// The microphone that was the default source last, for the time in which the default source is none: a
/// person may have chosen this program's own source as the default one, for the applications that have no
/// choice of their own.
@EventLoop
package final class PreviousDefault {
    /// It is found out anew with each connection: a program sets it only if it knows it from an earlier run.
    package var name: String?
    /// Called when another microphone has become the default source, with its name.
    package var changed: @EventLoop (String) -> Void = { _ in }

    /// - Parameter devices: The list of the server.
    /// - Returns: The same with ``AudioDevices/previousDefaultSource``.
    func updated(_ devices: AudioDevices) -> AudioDevices {
        var devices = devices
        if let source = devices.sources.first(where: { $0.name == devices.defaultSource }) {
            if devices.isMicrophone(source), name != source.name {
                name = source.name
                changed(source.name)
            }
            devices.previousDefaultSource = name == source.name ? nil : name
        }
        return devices
    }
}
