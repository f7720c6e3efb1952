"""A push-to-talk button that advertises its presses by BTHome (https://bthome.io/format), made from an accessory file."""
import asyncio

from bumble import hci
from bumble.core import AdvertisingData
from bumble.device import Device
from bumble.host import Host
from bumble.transport.common import AsyncPipeSink

from button_radio import Controller

INTERVAL_MS = 100.0
# As long as it repeats a press.
TIME = 1.0
UUID = bytes.fromhex("d2fc")


class AdvertisingButton:
    def __init__(self, air, file, address, name, start_task):
        self.file, self.name, self.start_task = file, name, start_task
        public = hci.Address(address, hci.Address.PUBLIC_DEVICE_ADDRESS)
        self.address = address
        self.controller = Controller(name, link=air, public_address=public)
        self.device = Device(name=name, address=public, host=Host(self.controller, AsyncPipeSink(self.controller)))
        self.device.scan_response_data = bytes(AdvertisingData([(AdvertisingData.COMPLETE_LOCAL_NAME, name.encode())]))
        self.packet = 0
        self.end = None

    async def start(self):
        await self.device.power_on()

    async def press(self, role):
        self.packet = (self.packet + 1) % 256
        [(_, (button, event))] = self.file.pressed(role, set())
        events = b"".join(bytes([0x3A, event if number == button else 0]) for number in range(1, button + 1))
        return await self.send(0, bytes([0x44, 0x00, self.packet, 0x01, 100]) + events)

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
