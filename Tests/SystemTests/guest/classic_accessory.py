"""A classic Bluetooth accessory: a serial port (SPP) that sends what an accessory file says, and an AVRCP
remote control.

Its commands, which `buttons` carries out:

  write TEXT        to the serial port; \\r, \\n and \\x00 are replaced, spaces are not possible.
                    Answers 1, or 0 if the port is not open
  stamp TEXT        the same; answers with CLOCK_MONOTONIC right before the write too
  close-serial      closes the port; the link remains
  refuse-serial N   refuses the next N connections to the port
  key KEY down|up   an AVRCP key: PLAY, PAUSE, FAST_FORWARD, REWIND ...
  open-remote       opens AVRCP from its side
  page ADDRESS      connects to the adapter, as a headset does when it is switched on
  secure            authenticates and encrypts a link that it has opened
  connectable on|off, discoverable on|off
  state             connected|disconnected encrypted|plain serial=open|closed opens=COUNT
                    avrcp=open|closed connections=COUNT pairings=COUNT received=BYTES
"""
import asyncio
import time

from bumble import avc, avrcp, rfcomm, sdp
from bumble.core import UUID, PhysicalTransport
from bumble.device import Device, DeviceConfiguration
from bumble.host import Host
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport.common import AsyncPipeSink

RFCOMM_CHANNEL = 5
WEARABLE_HEADSET = 0x240404
SERVICE_NAME_ATTRIBUTE = 0x0100
KEY_TIMEOUT = 10.0

KEYS = avc.PassThroughFrame.OperationId


class ClassicAccessory:
    def __init__(self, name, file, controller):
        self.name, self.file = name, file
        self.held = set()
        self.controller = controller
        self.connection = None
        self.port = None
        self.connections = self.opens = self.pairings = 0
        self.received = b""
        self.refusals_left = 0
        self.device = Device(
            config=DeviceConfiguration(
                name=name,
                class_of_device=WEARABLE_HEADSET,
                classic_enabled=True,
                classic_sc_enabled=False,
                le_enabled=False,
            ),
            host=Host(controller, AsyncPipeSink(controller)),
        )
        self.device.sdp_service_records = {
            0x00010002: avrcp.ControllerServiceSdpRecord(0x00010002).to_service_attributes(),
            0x00010003: avrcp.TargetServiceSdpRecord(0x00010003).to_service_attributes(),
        }
        self.device.pairing_config_factory = lambda _: PairingConfig(
            sc=True,
            mitm=False,
            bonding=True,
            delegate=PairingDelegate(io_capability=PairingDelegate.IoCapability.NO_OUTPUT_NO_INPUT),
        )
        self.device.on("connection", self.connected)
        self.rfcomm = rfcomm.Server(self.device)
        if file.serial is not None:
            self.listen_for_serial()
        self.remote = avrcp.Protocol()
        self.remote.listen(self.device)
        self.remote.on("start", lambda: self.log("AVRCP open"))
        self.remote.on("stop", lambda: self.log("AVRCP closed"))

    async def start(self):
        await self.device.power_on()

    @property
    def address(self):
        return str(self.controller.public_address)[:17]

    def log(self, text):
        print(f"{self.name}: {text}", flush=True)

    # ---- The link

    def connected(self, connection):
        if connection.transport != PhysicalTransport.BR_EDR:
            return
        self.connection = connection
        self.connections += 1
        self.log(f"connected to {connection.peer_address}")
        connection.once("disconnection", self.disconnected)
        connection.on("classic_pairing", self.paired)
        connection.on("classic_pairing_failure", lambda status: self.log(f"pairing failed: {status:#x}"))

    def paired(self):
        self.pairings += 1
        self.log("paired")

    def disconnected(self, reason):
        self.connection = self.port = None
        self.log(f"disconnected, reason {reason:#04x}")

    async def disconnect(self):
        if self.connection is not None:
            await self.connection.disconnect()

    async def secure(self):
        await self.connection.authenticate()
        await self.connection.encrypt()

    # ---- The serial port

    def listen_for_serial(self):
        record = rfcomm.make_service_sdp_records(0x00010001, RFCOMM_CHANNEL, UUID(self.file.serial))
        name = sdp.ServiceAttribute(SERVICE_NAME_ATTRIBUTE, sdp.DataElement.text_string(b"SPP"))
        self.device.sdp_service_records[0x00010001] = [*record, name]
        server = self.rfcomm
        channel = server.listen(self.serial_opened, RFCOMM_CHANNEL)
        accept = server.accept_dlc

        def accept_or_refuse(number):
            if number == channel and self.refusals_left > 0:
                self.refusals_left -= 1
                self.log("serial port refused")
                return None
            return accept(number)

        server.accept_dlc = accept_or_refuse

    def serial_opened(self, port):
        self.port = port
        self.opens += 1
        port.sink = self.receive
        self.log("serial port open")

        def closed():
            if self.port is port:
                self.port = None
            self.log("serial port closed")

        port.on("close", closed)

    def receive(self, data):
        self.received += data
        self.log(f"received {data!r}")

    def write(self, data):
        if self.port is None or self.connection is None:
            return 0
        self.port.write(data)
        return 1

    async def press(self, role):
        values = self.file.pressed(role, self.held)
        self.held.add(role)
        return self.write(b"".join(value for _, value in values))

    async def release(self, role):
        values = self.file.released(role, self.held)
        self.held.discard(role)
        return self.write(b"".join(value for _, value in values))

    async def close_serial(self):
        if self.port is not None:
            await self.port.disconnect()
            self.port = None

    # ---- The remote control

    async def open_remote(self):
        if self.remote.avctp_protocol is None:
            await self.remote.connect(self.connection)

    async def send_key(self, name, is_down):
        answer = await asyncio.wait_for(self.remote.send_key_event(KEYS[name], is_down), KEY_TIMEOUT)
        return answer.response.name

    # ---- Commands

    async def forget(self):
        await self.device.keystore.delete_all()

    async def state(self):
        is_encrypted = self.connection is not None and self.connection.encryption
        return " ".join(
            [
                "connected" if self.connection else "disconnected",
                "encrypted" if is_encrypted else "plain",
                f"serial={'open' if self.port else 'closed'}",
                f"opens={self.opens}",
                f"avrcp={'open' if self.remote.avctp_protocol else 'closed'}",
                f"connections={self.connections}",
                f"pairings={self.pairings}",
                f"received={self.received!r}",
            ]
        )

    async def carry_out(self, words):
        match words:
            case ["write", text]:
                return self.write(unescaped(text))
            case ["stamp", text]:
                now = time.monotonic_ns()
                return f"{self.write(unescaped(text))} {now}"
            case ["close-serial"]:
                await self.close_serial()
            case ["refuse-serial", count]:
                self.refusals_left = int(count)
            case ["key", name, ("down" | "up") as edge]:
                return await self.send_key(name, edge == "down")
            case ["open-remote"]:
                await self.open_remote()
            case ["page", address]:
                await self.device.connect(address, transport=PhysicalTransport.BR_EDR)
            case ["secure"]:
                await self.secure()
            case ["connectable", ("on" | "off") as value]:
                await self.device.set_connectable(value == "on")
            case ["discoverable", ("on" | "off") as value]:
                await self.device.set_discoverable(value == "on")
            case _:
                raise ValueError("unknown command")


def unescaped(text):
    return text.encode().decode("unicode_escape").encode("latin-1")
