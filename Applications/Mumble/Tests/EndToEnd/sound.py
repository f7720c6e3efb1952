"""What the benchmark has at each end: a microphone that hears a tone when told, an ear, and the Mumble program."""
import array
import hashlib
import math
import os
import ssl
import threading
import time

import dbus

from opus import strength
from world import until

from programs import Mumble

rate = 48000


class Client(Mumble):
    """The Mumble program, muted: unmuting it is its press, because 1.3 has no other one by D-Bus. Its microphone is
    open all the time."""

    def __init__(self, world, lab, name):
        self.name, self.port = name, world.server.port
        lab.display()
        certificate = ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate(("127.0.0.1", self.port)))
        # It tells who has come.
        os.symlink(os.path.join(world.server.directory, "server.log"), lab.path("mumble-server.log"))
        # 0: It transmits all the time.
        self.start_client(lab, name, 0, "tone", hashlib.sha1(certificate).hexdigest())
        connection = dbus.bus.BusConnection(lab.environment["DBUS_SESSION_BUS_ADDRESS"])
        self.object = connection.get_object("net.sourceforge.mumble.mumble", "/")
        self.set_muted(True)

    def set_muted(self, is_muted):
        self.object.setSelfMuted(is_muted, dbus_interface="net.sourceforge.mumble.Mumble")


class Mouth:
    """The microphone of a machine, in place of its constant tone: silent, but for a tone when it is told to."""

    step = rate // 200

    def __init__(self, lab):
        lab.stop("tone")
        self.pipe = os.open(lab.path("tone"), os.O_RDWR | os.O_NONBLOCK)
        self.left, self.began, self.has_begun = 0, None, threading.Event()
        tone = [int(16000 * math.sin(index * 1000 * 2 * math.pi / rate)) for index in range(self.step)]
        self.pieces = {False: bytes(2 * self.step), True: array.array("h", tone).tobytes()}
        self.is_closed = False
        self.thread = threading.Thread(target=self.feed, daemon=True)
        self.thread.start()

    def feed(self):
        due = time.monotonic()
        while not self.is_closed:
            is_loud = self.left > 0
            self.left -= is_loud
            if is_loud and not self.has_begun.is_set():
                self.began = time.monotonic()
                self.has_begun.set()
            try:
                os.write(self.pipe, self.pieces[is_loud])
            except BlockingIOError:
                # Nobody records, and what is not read is lost.
                os.read(self.pipe, 65536)
            due += 0.005
            time.sleep(max(0, due - time.monotonic()))

    def say(self, seconds):
        """Returns when the tone has begun, with that time."""
        self.has_begun.clear()
        self.left = round(seconds * 200)
        self.has_begun.wait()
        return self.began

    def close(self):
        self.is_closed = True
        self.thread.join()
        os.close(self.pipe)


class Ear:
    """What a speaker plays."""

    loud = 3000

    def __init__(self, lab, device):
        # Each piece with the time at which it has come, and where in all samples it ends.
        self.samples, self.pieces = array.array("h"), []
        reader, writer = os.pipe()
        lab.start("ear-" + device, ["parec", "--raw", "-d", device + ".monitor", "--channels=1", f"--rate={rate}",
                                    "--format=s16le", "--latency-msec=10"], output=writer)
        os.close(writer)
        threading.Thread(target=self.listen, args=[reader], daemon=True).start()
        # At first pieces come late.
        until("it hears", lambda: len(self.samples) > 5 * rate)

    def listen(self, reader):
        rest = b""
        while data := os.read(reader, 65536):
            data = rest + data
            rest = data[len(data) & ~1:]
            self.samples.frombytes(data[:len(data) & ~1])
            self.pieces.append((time.monotonic(), len(self.samples)))

    def count(self, frequency, since):
        """How often it is heard. The packet after a lost one has a remainder of it, of less than half the strength."""
        step, window = rate // 200, rate // 100
        loud = [strength(self.samples[at:at + window], frequency) > 9000
                for at in range(since, len(self.samples) - window, step)]
        return sum(later and not earlier for earlier, later in zip(loud, loud[1:]))

    def first(self, since):
        """When something loud was heard first, of what has come since then: not when its piece has come, which is
        later. None while there is nothing."""
        for index in range(len(self.pieces) - 1, 0, -1):
            if self.pieces[index - 1][0] < since:
                break
        else:
            return None
        for (_, begin), (when, end) in zip(self.pieces[index - 1:], self.pieces[index:]):
            at = next((at for at in range(begin, end) if abs(self.samples[at]) > self.loud), None)
            if at is not None:
                return when - (end - at) / rate
        return None

    def length(self, since):
        """Seconds of something loud, of what has come since then."""
        begin = next((end for when, end in self.pieces if when >= since), len(self.samples))
        step = rate // 1000
        return sum(max(map(abs, self.samples[at:at + step])) > self.loud
                   for at in range(begin, len(self.samples) - step, step)) / 1000
