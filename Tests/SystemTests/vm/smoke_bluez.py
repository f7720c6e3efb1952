"""What the smoke test needs of org.bluez: a record of everything that happens there, and waiting
for it."""
import os
import time

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)

BLUEZ = "org.bluez"
ADAPTER = "org.bluez.Adapter1"
DEVICE = "org.bluez.Device1"
CHARACTERISTIC = "org.bluez.GattCharacteristic1"
PROFILE = "org.bluez.Profile1"
PROFILE_MANAGER = "org.bluez.ProfileManager1"
OBJECTS = "org.freedesktop.DBus.ObjectManager"
PROPERTIES = "org.freedesktop.DBus.Properties"


class TimeLimit(Exception):
    pass


class ReconnectProfile(dbus.service.Object):
    """An application that has a GattProfile1 for the given services, and nothing else: bluetoothd
    then connects trusted devices with such a service by itself."""

    PATH = dbus.ObjectPath("/reconnect")

    def __init__(self, bluez, services):
        super().__init__(bluez.bus, self.PATH)
        self.services = services

    @dbus.service.method(OBJECTS, out_signature="a{oa{sa{sv}}}")
    def GetManagedObjects(self):
        uuids = dbus.Array(self.services, signature="s")
        return {dbus.ObjectPath(self.PATH + "/profile"): {"org.bluez.GattProfile1": {"UUIDs": uuids}}}


class SerialProfile(dbus.service.Object):
    """A client of serial ports: bluetoothd hands the descriptor of a connection over."""

    PATH = dbus.ObjectPath("/serial")
    UUID = "00001101-0000-1000-8000-00805f9b34fb"

    def __init__(self, bluez):
        super().__init__(bluez.bus, self.PATH)
        self.bluez = bluez
        self.port = None

    def register(self):
        options = dbus.Dictionary({"Role": dbus.String("client", variant_level=1)}, signature="sv")
        self.bluez.call("/org/bluez", PROFILE_MANAGER, "RegisterProfile", self.PATH, self.UUID, options)

    def unregister(self):
        self.bluez.call("/org/bluez", PROFILE_MANAGER, "UnregisterProfile", self.PATH)

    @dbus.service.method(PROFILE, in_signature="oha{sv}")
    def NewConnection(self, _device, descriptor, _properties):
        self.port = descriptor.take()
        os.set_blocking(self.port, True)

    @dbus.service.method(PROFILE, in_signature="o")
    def RequestDisconnection(self, _device):
        pass

    @dbus.service.method(PROFILE)
    def Release(self):
        pass


class Bluez:
    """`objects` follows the signals, from whichever bluetoothd is there."""

    def __init__(self):
        self.bus = dbus.SystemBus()
        self.objects = {}
        self.events = []  # (time, kind, path, interface, values)
        self.owner = None
        self.bus.add_signal_receiver(self._added, "InterfacesAdded", OBJECTS, BLUEZ)
        self.bus.add_signal_receiver(self._removed, "InterfacesRemoved", OBJECTS, BLUEZ)
        self.bus.add_signal_receiver(
            self._changed, "PropertiesChanged", PROPERTIES, BLUEZ, path_keyword="path"
        )
        self.bus.watch_name_owner(BLUEZ, self._owner_changed)
        self.refresh()

    def refresh(self):
        self.objects = {}
        for path, interfaces in self.call("/", OBJECTS, "GetManagedObjects").items():
            self._added(path, interfaces)

    def _record(self, kind, path, interface, values):
        self.events.append((time.monotonic(), kind, str(path), str(interface), values))

    def _owner_changed(self, owner):
        self.owner = owner
        self._record("owner", "/", BLUEZ, owner)
        if not owner:
            self.objects = {}

    def _added(self, path, interfaces):
        for name, values in interfaces.items():
            self.objects.setdefault(str(path), {})[str(name)] = dict(values)
            self._record("added", path, name, dict(values))

    def _removed(self, path, interfaces):
        for name in interfaces:
            self.objects.get(str(path), {}).pop(str(name), None)
            self._record("removed", path, name, None)
        if not self.objects.get(str(path), True):
            del self.objects[str(path)]

    def _changed(self, interface, values, invalidated, path):
        known = self.objects.setdefault(str(path), {}).setdefault(str(interface), {})
        known.update(values)
        self._record("changed", path, interface, dict(values))

    def call(self, path, interface, method, *arguments, timeout=60):
        return self.bus.get_object(BLUEZ, path, introspect=False).get_dbus_method(method, interface)(
            *arguments, timeout=timeout
        )

    def start_call(self, path, interface, method, *arguments, timeout=60):
        """Returns a list that gets the reply or the error once it comes."""
        answer = []
        proxy = self.bus.get_object(BLUEZ, path, introspect=False)
        proxy.get_dbus_method(method, interface)(
            *arguments,
            timeout=timeout,
            reply_handler=lambda *values: answer.append(values),
            error_handler=lambda error: answer.append(error),
        )
        return answer

    def reply(self, path, interface, method, *arguments):
        """Like `call`, while bluetoothd's own calls are served."""
        answer = self.start_call(path, interface, method, *arguments)
        self.until(method, lambda: answer)
        if isinstance(answer[0], Exception):
            raise answer[0]

    def property(self, path, interface, name):
        return self.objects.get(path, {}).get(interface, {}).get(name)

    def set(self, path, interface, name, value):
        self.call(path, PROPERTIES, "Set", interface, name, dbus.Boolean(value, variant_level=1))

    def until(self, what, condition, seconds=60):
        end = time.monotonic() + seconds
        context = GLib.MainContext.default()
        waker = GLib.timeout_add(50, lambda: True)
        try:
            while not (result := condition()):
                if time.monotonic() > end:
                    raise TimeLimit(what)
                context.iteration(True)
            return result
        finally:
            GLib.source_remove(waker)

    def adapter(self):
        return next((p for p, i in self.objects.items() if ADAPTER in i), None)

    def powered_adapter(self):
        path = self.adapter()
        return path if path and self.property(path, ADAPTER, "Powered") else None

    def device(self, name):
        return next((p for p, i in self.objects.items() if i.get(DEVICE, {}).get("Alias") == name), None)

    def characteristic(self, device, uuid):
        return next(
            (
                p
                for p, i in self.objects.items()
                if p.startswith(device + "/") and i.get(CHARACTERISTIC, {}).get("UUID") == uuid
            ),
            None,
        )

    def values_since(self, mark, path):
        """The bytes of each notification since then, with their times."""
        return [
            (when, bytes(values["Value"]).hex())
            for when, kind, p, interface, values in self.events[mark:]
            if kind == "changed" and p == path and interface == CHARACTERISTIC and "Value" in values
        ]
