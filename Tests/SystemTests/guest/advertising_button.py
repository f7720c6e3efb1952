"""A push-to-talk button that advertises its presses by BTHome (https://bthome.io/format), made from an accessory file."""
import asyncio

from bumble import hci
from bumble.core import AdvertisingData
from bumble.device import Device
from bumble.host import Host
from bumble.transport.common import AsyncPipeSink
from cryptography.hazmat.primitives.ciphers.aead import AESCCM

from button_radio import Controller

INTERVAL_MS = 100.0
# As long as it repeats a press.
TIME = 1.0
UUID = bytes.fromhex("d2fc")


class AdvertisingButton:
    def __init__(self, air, file, address, name, start_task, key=None):
        """`key`: of 16 bytes, with which it encrypts what it says."""
        self.file, self.name, self.start_task, self.key = file, name, start_task, key
        public = hci.Address(address, hci.Address.PUBLIC_DEVICE_ADDRESS)
        self.address = address
        self.controller = Controller(name, link=air, public_address=public)
        self.device = Device(name=name, address=public, host=Host(self.controller, AsyncPipeSink(self.controller)))
        self.device.scan_response_data = bytes(AdvertisingData([(AdvertisingData.COMPLETE_LOCAL_NAME, name.encode())]))
        self.packet = 0
        self.counter = 0
        self.end = None

    async def start(self):
        await self.device.power_on()

    async def press(self, role):
        self.packet = (self.packet + 1) % 256
        [(_, (button, event))] = self.file.pressed(role, set())
        events = b"".join(bytes([0x3A, event if number == button else 0]) for number in range(1, button + 1))
        return await self.send(0, self.service_data(bytes([0x00, self.packet, 0x01, 100]) + events))

    def service_data(self, objects):
        if self.key is None:
            return b"\x44" + objects
        self.counter += 1
        counter = self.counter.to_bytes(4, "little")
        nonce = bytes.fromhex(self.address.replace(":", "")) + UUID + b"\x45" + counter
        sealed = AESCCM(self.key, tag_length=4).encrypt(nonce, objects, None)
        return b"\x45" + sealed[:-4] + counter + sealed[-4:]

    async def release(self, role):
        return 0

    async def send(self, _input, data):
        """Service data. The answer is 1, since nobody subscribes."""
        await self.device.stop_advertising()
        fields = [(AdvertisingData.FLAGS, b"\x06"), (AdvertisingData.SERVICE_DATA_16_BIT_UUID, UUID + data)]
        self.device.advertising_data = bytes(AdvertisingData(fields))
        await self.device.start_advertising(
            own_address_type=hci.OwnAddressType.PUBLIC,
            advertising_interval_min=INTERVAL_MS,
            advertising_interval_max=INTERVAL_MS,
        )
        if self.end is not None:
            self.end.cancel()
        self.end = asyncio.get_running_loop().call_later(TIME, self.start_task_to_stop)
        return 1

    def start_task_to_stop(self):
        self.end = None
        self.start_task(self.device.stop_advertising())
