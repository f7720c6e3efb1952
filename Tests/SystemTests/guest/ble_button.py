"""A push-to-talk button with GATT notifications, made from an accessory file."""
import asyncio

from bumble import hci
from bumble.core import AdvertisingData
from bumble.device import Device
from bumble.gatt import Characteristic, Service
from bumble.host import Host
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport.common import AsyncPipeSink

from button_radio import Controller

ADVERTISING_INTERVAL_MS = 100.0
# Of the services that a lying button has besides.
OTHER_SERVICE = "{:08x}-9f59-4420-870d-84f3b617e493"

READ, WRITE, NOTIFY = (
    Characteristic.Properties.READ,
    Characteristic.Properties.WRITE,
    Characteristic.Properties.NOTIFY,
)


class Button:
    def __init__(self, air, file, address, name, start_task, is_readable=True, other_services=0):
        self.air, self.file, self.name, self.start_task = air, file, name, start_task
        self.awake = True
        self.drops_links = False
        self.connection = None
        self.subscriptions = 0
        self.on_subscribe = None
        self.held = set()
        self.controller = Controller(self.name, link=air)
        self.device = Device(
            name=self.name,
            address=hci.Address(address, hci.Address.RANDOM_DEVICE_ADDRESS),
            host=Host(self.controller, AsyncPipeSink(self.controller)),
        )
        self.add_services(is_readable, other_services)
        self.answer_before_notifying()
        self.set_advertising_data()
        # "Just works", with LE Secure Connections.
        self.device.pairing_config_factory = lambda _: PairingConfig(
            sc=True,
            mitm=False,
            bonding=True,
            delegate=PairingDelegate(io_capability=PairingDelegate.IoCapability.NO_OUTPUT_NO_INPUT),
        )
        self.device.on("connection", self.connected)

    def add_services(self, is_readable, other_services):
        services = {}
        self.inputs, self.written = [], {}
        for input in self.file.inputs:
            service, characteristic = input.attribute
            made = self.characteristic(characteristic, NOTIFY | (READ if is_readable else NOTIFY), input.idle)
            made.on(made.EVENT_SUBSCRIPTION, self.subscribed)
            self.inputs.append(made)
            services.setdefault(service, []).append(made)
        for service, characteristic in self.file.written + self.file.read:
            if (service, characteristic) not in self.written:
                made = self.characteristic(characteristic, READ | WRITE, bytes([0]))
                self.written[service, characteristic] = made
                services.setdefault(service, []).append(made)
        for number in range(other_services):
            uuid = OTHER_SERVICE.format(number)
            services[uuid] = [self.characteristic(uuid, READ | NOTIFY, b"\0")]
        self.device.add_services([Service(uuid, list) for uuid, list in services.items()])

    def characteristic(self, uuid, properties, value):
        permissions = Characteristic.Permissions(0)
        if properties & READ:
            permissions |= Characteristic.READABLE
        if properties & WRITE:
            permissions |= Characteristic.WRITEABLE
        return Characteristic(uuid, properties, permissions, value)

    def set_advertising_data(self):
        present = [input.attribute[0] for input in self.file.inputs]
        advertised = [uuid for uuid in self.file.services if uuid in present] or self.file.services
        fields = [(AdvertisingData.FLAGS, b"\x06")]
        if advertised:
            uuid = bytes.fromhex(advertised[0].replace("-", ""))[::-1]
            fields.append((AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, uuid))
        self.device.advertising_data = bytes(AdvertisingData(fields))
        # One packet has no room for both.
        self.device.scan_response_data = bytes(
            AdvertisingData([(AdvertisingData.COMPLETE_LOCAL_NAME, self.name.encode())])
        )

    def answer_before_notifying(self):
        """Bumble reports a subscription before it has answered the write, and a value sent then
        would be the first thing a central hears. A button answers first."""
        server = self.device.gatt_server
        send_response = server.send_response
        self.after_response = None

        def respond(bearer, response):
            send_response(bearer, response)
            action, self.after_response = self.after_response, None
            if action is not None:
                action()

        server.send_response = respond

    # ---- The link

    async def start(self):
        await self.device.power_on()
        await self.advertise()

    async def advertise(self):
        if self.awake and self.connection is None:
            await self.device.start_advertising(
                advertising_interval_min=ADVERTISING_INTERVAL_MS,
                advertising_interval_max=ADVERTISING_INTERVAL_MS,
            )

    def connected(self, connection):
        self.connection = connection
        self.log("connected")
        connection.once("disconnection", self.disconnected)
        connection.on("pairing", lambda _: self.log("paired"))
        connection.on("pairing_failure", lambda reason: self.log(f"pairing failed: {reason}"))
        if self.drops_links:
            self.start_task(self.disconnect())

    def disconnected(self, reason):
        self.connection = None
        self.log(f"disconnected, reason {reason:#04x}")
        self.start_task(self.advertise())

    async def disconnect(self):
        if self.connection is not None:
            await self.connection.disconnect()

    async def forget(self):
        await self.device.keystore.delete_all()

    async def sleep(self):
        self.awake = False
        await self.disconnect()
        await self.device.stop_advertising()

    async def wake(self):
        self.awake = True
        await self.advertise()

    # ---- Notifications

    def subscribed(self, _bearer, notify, _indicate):
        self.log("subscribed" if notify else "unsubscribed")
        if notify:
            self.subscriptions += 1
            if self.on_subscribe is not None:
                value = self.on_subscribe
                self.after_response = lambda: self.start_task(self.send(0, value))

    def is_subscribed(self, characteristic):
        if self.connection is None:
            return False
        values = self.device.gatt_server.subscribers.get(self.connection, {})
        return values.get(characteristic.handle, b"\0\0")[0] & 1 == 1

    async def send(self, number, value):
        """The answer is how many subscribers there were: 0 or 1."""
        characteristic = self.inputs[number]
        characteristic.value = value
        receivers = 1 if self.is_subscribed(characteristic) else 0
        await self.device.notify_subscribers(characteristic, value)
        return receivers

    async def press(self, role):
        frames = self.file.pressed(role, self.held)
        self.held.add(role)
        return await self.send_all(frames)

    async def release(self, role):
        frames = self.file.released(role, self.held)
        self.held.discard(role)
        return await self.send_all(frames)

    async def send_all(self, frames):
        return max([0, *[await self.send(number, value) for number, value in frames]])

    async def flood(self, values, count, rate):
        """The given values in turn. The answer is how many went to a subscriber."""
        loop = asyncio.get_running_loop()
        start, sent = loop.time(), 0
        for number in range(count):
            sent += await self.send(0, values[number % len(values)])
            await asyncio.sleep(max(0, start + number / rate - loop.time()))
        return sent

    async def state(self):
        bonds = await self.device.keystore.get_all() if self.device.keystore else []
        return " ".join(
            [
                self.file.identifier,
                self.address,
                "connected" if self.connection else "disconnected",
                "advertising" if self.controller.le_legacy_advertiser.enabled else "silent",
                "subscribed" if all(map(self.is_subscribed, self.inputs)) else "unsubscribed",
                f"subscriptions={self.subscriptions}",
                "bonded" if bonds else "unbonded",
                "away" if self.controller in self.air.out_of_reach else "near",
            ]
        )

    @property
    def address(self):
        return str(self.device.random_address)[:17]

    def log(self, text):
        print(f"{self.name}: {text}", flush=True)
