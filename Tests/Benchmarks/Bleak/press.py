"""What a user would write instead: subscribes to a button with bleak, and sends a message for each press to a Unix socket.

Arguments: the button's address, its D-Bus path, the UUID of the characteristic. Standard output is the socket. One
message says that it is ready.
"""

import asyncio
import socket
import sys

from bleak import BleakClient
from bleak.backends.device import BLEDevice

# As long as the event that a subscriber of pttd gets in its place.
EVENT = (
    b'{"parameters":{"sequence":1000,"time":123456789012,"event":{"kind":"transmissionBegan",'
    b'"transmission":{"transmissionID":1000,"source":"handsfreeButton","origin":{"kind":'
    b'"bluetoothButton","identifier":"F0:F1:F2:F3:F4:01","name":"PTT-Z01"},"began":123456789012}}},'
    b'"continues":true}\0'
)


async def main(address: str, path: str, characteristic: str) -> None:
    application = socket.socket(fileno=sys.stdout.fileno())
    # With its path no scan is needed, which would find nothing on this bus.
    client = BleakClient(BLEDevice(address, None, {"path": path, "props": {}}))
    await client.connect()

    def notified(_, value: bytearray) -> None:
        if value[0] == 1:
            application.sendall(EVENT)

    await client.start_notify(characteristic, notified)
    application.sendall(EVENT)
    await asyncio.Event().wait()


asyncio.run(main(*sys.argv[1:]))
