"""What the tests have in common: machines with the built pttd and ptt-mumble, a server, and peers."""
import array
import base64
import json
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

here = os.path.dirname(os.path.realpath(__file__))
sys.path += [os.path.join(here, "../Vectors"), os.path.join(here, "../../../../Tests/CallTests")]

from lab import Failed, Lab, build, until
from opus import Encoder, strength
from peer import Peer, voice
from server import Server

program = os.environ.get("PTT_MUMBLE") or os.path.join(here, "../../.build/debug/ptt-mumble")
channel = "Ops"


class Button:
    """A button of an accessory, as ptt-accessoryd reports it: it is held while its connection is open."""

    def __init__(self, lab):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(20)
        self.socket.connect(lab.path("run/pushtotalk/core"))
        self.origin = {"kind": "bluetoothButton", "identifier": "1", "name": "Button"}

    def call(self, method, **parameters):
        message = {"method": f"org.pushtotalk.Channel.{method}", "parameters": parameters}
        self.socket.sendall(json.dumps(message).encode() + b"\0")
        answer = b""
        while not answer.endswith(b"\0"):
            answer += self.socket.recv(65536)
        return json.loads(answer[:-1])

    def press(self, role="talk"):
        return self.call("BeginTransmitting", source="handsfreeButton", origin=self.origin, role=role)

    def release(self):
        self.call("EndTransmitting", origin=self.origin)
        self.socket.close()

    def step(self, role):
        """Another button of the same device, which does not transmit."""
        for is_pressed in (True, False):
            answer = self.call("ReportButton", origin=self.origin, role=role, isPressed=is_pressed)
            expect("error" not in answer, f"the step is refused: {answer}")


class Machine(Lab):
    """A machine with ptt-mumble."""

    def __init__(self):
        super().__init__("PulseAudio")
        self.heard = []
        # What runs ptt-mumble.
        self.runner = []
        reader, writer = os.pipe()
        self.start("parec", ["parec", "--raw", "-d", "speaker.monitor", "--channels=1", "--rate=48000", "--format=s16le",
                             "--latency-msec=20"], output=writer)
        os.close(writer)
        threading.Thread(target=self.listen, args=[reader], daemon=True).start()

    def listen(self, reader):
        """Pieces of 100 milliseconds."""
        rest = b""
        while data := os.read(reader, 65536):
            rest += data
            while len(rest) >= 9600:
                self.heard.append((time.monotonic(), array.array("h", rest[:9600])))
                rest = rest[9600:]

    def records(self):
        """How many streams record."""
        return len(self.run("pactl", "list", "short", "source-outputs").splitlines())

    def hears(self, frequency, since):
        return any(strength(samples, frequency) > 3000 for when, samples in list(self.heard) if when > since)

    def join(self, port, user="ann", address=None):
        self.start("ptt-mumble", [*self.runner, program, address or f"mumble://{user}@127.0.0.1:{port}/{channel}"])

    def joined(self):
        until("it is in the channel", lambda: f"in {channel} of" in self.log("ptt-mumble"))
        until("pttd is ready to talk", lambda: (self.channel() or {}).get("serviceStatus") == "ready")

    def status(self):
        return json.loads(self.run(os.path.join(build, "pttctl"), "status", "--json") or "{}")

    def channel(self):
        return self.status().get("channel")

    def participant(self):
        return ((self.channel() or {}).get("participant") or {}).get("name")

    def picture(self):
        """The file that is shown of the participant."""
        summary = ((self.channel() or {}).get("participant") or {}).get("image")
        if summary:
            caller = Button(self)
            answer = caller.call("GetImage", imageID=summary["imageID"])
            caller.socket.close()
            # It may be another one by now.
            return base64.b64decode(answer["parameters"].get("image", ""))

    def watch(self):
        """From now on the events are kept, as `pttctl monitor` prints them, until the channel is left."""
        self.start("monitor", [os.path.join(build, "pttctl"), "monitor"])
        until("the status is shown, which events follow", lambda: "\nchannel " in "\n" + self.log("monitor"))

    def transmissions_ended(self, cause):
        """How many, by the events."""
        return self.log("monitor").count(f"transmission ended: Button, {cause}")

    def ends(self):
        process = self.processes.pop("ptt-mumble")
        return process.wait(20)

    def leave(self):
        if "ptt-mumble" in self.processes:
            self.stop("ptt-mumble", signal.SIGINT)
        self.stop("monitor")
        self.run("rm", "-f", self.path("ptt-mumble.log"), self.path("monitor.log"))
        until("the channel is left", lambda: not self.channel())


def png(side, grey=None):
    """A picture of one grey, or of noise, which cannot be made smaller."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    count = side * (side + 1)
    rows = random.Random(side).randbytes(count) if grey is None else bytes([grey]) * count
    rows = b"".join(b"\0" + rows[at + 1:at + side + 1] for at in range(0, len(rows), side + 1))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def expect(condition, what):
    if not condition:
        raise Failed(what)


def loud(packets, frequency):
    return strength(voice(packets), frequency)


class World:
    def __init__(self, host="127.0.0.1"):
        self.directory = tempfile.mkdtemp(prefix="mumble-test-", dir="/tmp")
        self.server = Server(os.path.join(self.directory, "server"), channel, host)
        self.machines, self.peers, self.notes = {}, [], []

    def machine(self, name, port=None):
        """A machine that has joined as this user."""
        machine = self.machines.get(name) or self.machines.setdefault(name, Machine())
        machine.join(port or self.server.port, name)
        machine.joined()
        return machine

    def ann(self, port=None):
        return self.machine("ann", port)

    def idle(self):
        """Ann's machine, without ptt-mumble."""
        return self.machines.get("ann") or self.machines.setdefault("ann", Machine())

    def peer(self, name):
        peer = Peer(self.server.port, name, channel=channel, host=self.server.near)
        self.peers.append(peer)
        return peer

    def with_names(self, hosts):
        """What runs a program where the file of hosts has this text. As root."""
        file = os.path.join(self.directory, "hosts")
        with open(file, "w") as output:
            output.write(hosts)
        mounted = 'mount --bind "$0" /etc/hosts && exec "$@"'
        return ["unshare", "--mount", "--propagation", "private", "sh", "-c", mounted, file]

    def note(self, text):
        self.notes.append(text)

    def end_test(self):
        for peer in self.peers:
            peer.close()
        self.peers, self.notes = [], []

    def close(self):
        for machine in self.machines.values():
            machine.close()
        self.server.kill()
        subprocess.run(["rm", "-rf", self.directory])


def tests_of(names):
    """The functions of a file that have a world."""
    return [value for value in names.values() if callable(value) and "world" in getattr(
        getattr(value, "__code__", None), "co_varnames", ()) and value.__module__ == "__main__"]


def main(tests, make_world=World):
    """Runs those whose names contain one of the arguments, or all."""
    wanted = sys.argv[1:]
    failed = 0
    world = make_world()
    for test in tests:
        name = test.__name__.replace("_", " ")
        if wanted and not any(word in name for word in wanted):
            continue
        began = time.monotonic()
        try:
            test(world)
            result = "works"
        except KeyboardInterrupt:
            world.close()
            raise
        except Exception as error:  # Whatever it is, the next test is tried, and nothing is left running.
            result = f"FAILED: {type(error).__name__} {error}"
            failed += 1
            for machine in world.machines.values():
                for log in ["ptt-mumble", "pttd"]:
                    if os.path.exists(machine.path(log + ".log")):
                        print(f"{log}:\n{machine.log(log)[-2000:]}", file=sys.stderr)
        print(f"{name}: {result}, {time.monotonic() - began:.0f} s; {'; '.join(world.notes)}", flush=True)
        world.end_test()
        if result != "works":
            world.close()
            world = make_world()
    world.close()
    print(f"{failed} failed")
    return 1 if failed else 0

