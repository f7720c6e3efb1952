"""A client of Mumble that shares no code with ptt-mumble: in the older format of voice, through the TCP tunnel."""
import os
import socket
import ssl
import struct
import threading
import time

from opus import Decoder, Encoder


def number(value):
    """protobuf's variable integer"""
    result = b""
    while value >= 0x80:
        result += bytes([value & 0x7F | 0x80])
        value >>= 7
    return result + bytes([value])


def field(index, value):
    if isinstance(value, int):
        return number(index << 3) + number(value)
    value = value.encode() if isinstance(value, str) else value
    return number(index << 3 | 2) + number(len(value)) + value


def fields(data):
    """The last value of each field."""
    result, at = {}, 0

    def read():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = read()
        if key & 7 == 0:
            result[key >> 3] = read()
        elif key & 7 == 2:
            length = read()
            result[key >> 3] = data[at:at + length]
            at += length
        else:
            at += {1: 8, 5: 4}[key & 7]
    return result


def mumble(value):
    """Mumble's variable integer, below 2**28"""
    if value < 0x80:
        return bytes([value])
    if value < 0x4000:
        return struct.pack(">H", value | 0x8000)
    if value < 0x200000:
        return struct.pack(">I", value | 0xC00000)[1:]
    return struct.pack(">I", value | 0xE0000000)


def take(data):
    """Mumble's variable integer, and what follows"""
    first = data[0]
    for count, high in [(0, 0x80), (1, 0xC0), (2, 0xE0), (3, 0xF0)]:
        if first < high:
            value = first & (0x7F, 0x3F, 0x1F, 0x0F)[count]
            return int.from_bytes(bytes([value]) + data[1:1 + count], "big"), data[1 + count:]
    assert first == 0xF0, hex(first)
    return int.from_bytes(data[1:5], "big"), data[5:]


class Peer:
    def __init__(self, port, name, password=None, channel=None, host="127.0.0.1"):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        self.port = port
        self.tls = context.wrap_socket(socket.create_connection((host, port), 10))
        self.tls.settimeout(None)
        self.lock = threading.Lock()
        self.channels, self.people, self.packets, self.texts, self.rejection = {}, {}, [], [], None
        # What others have said to our programs, and what is called then with it.
        self.messages, self.answer, self.version = [], lambda sender, data: None, 0
        self.session = self.crypt = None
        self.synchronised = threading.Event()
        self.counter = 0
        self.encoder = Encoder(1000)
        self.send(0, field(1, 1 << 16 | 3 << 8 | 4) + field(2, "peer.py"))
        self.send(2, field(1, name) + (field(2, password) if password else b"") + field(5, 1))
        self.closed = threading.Event()
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self.read, self.ping)]
        for thread in self.threads:
            thread.start()
        assert self.synchronised.wait(10), "no answer"
        assert self.session is not None, self.rejection
        if channel:
            self.enter(channel)

    def send(self, kind, data):
        with self.lock:
            self.tls.sendall(struct.pack(">HI", kind, len(data)) + data)

    def ping(self):
        try:
            while not self.closed.wait(10):
                self.send(3, b"")
        except OSError:
            pass

    def exactly(self, count):
        data = b""
        while len(data) < count:
            more = self.tls.recv(count - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def read(self):
        try:
            while True:
                kind, length = struct.unpack(">HI", self.exactly(6))
                self.received(kind, self.exactly(length))
        except (OSError, EOFError, ValueError):
            self.synchronised.set()

    def received(self, kind, data):
        if kind == 1:
            self.heard(data)
            return
        message = fields(data) if kind in (0, 4, 5, 7, 8, 9, 11, 15, 26) else {}
        if kind == 0:
            self.version = message.get(1, 0)
        if kind == 26:
            self.messages.append((message.get(1), message.get(3), message.get(4)))
            self.answer(message.get(1), message.get(3, b""))
        if kind == 4:
            self.rejection = message
        if kind == 5:
            self.session = message[1]
            self.synchronised.set()
        if kind == 7:
            self.channels.setdefault(message.get(1, 0), {}).update(message)
        if kind == 9:
            self.people.setdefault(message[1], {}).update(message)
        # The server itself says something to older clients since 1.5.
        if kind == 11 and 1 in message:
            self.texts.append((message[1], message.get(5, b"").decode()))
        if kind == 8:
            self.people.pop(message[1], None)
        if kind == 15 and 1 in message:
            self.crypt = message

    def heard(self, data):
        if data[0] >> 5 != 4:
            return
        session, data = take(data[1:])
        time_of_packet, data = take(data)
        length, data = take(data)
        self.packets.append((time.monotonic(), session, time_of_packet, length >> 13 & 1, data[:length & 0x1FFF]))

    def create(self, name):
        self.send(7, field(2, 0) + field(3, name))

    def enter(self, name):
        end = time.monotonic() + 10
        while time.monotonic() < end:
            for channel, state in self.channels.items():
                if state.get(3) == name.encode():
                    self.send(9, field(1, self.session) + field(5, channel))
                    while self.people[self.session].get(5) != channel and time.monotonic() < end:
                        time.sleep(0.02)
                    return
            time.sleep(0.02)
        raise AssertionError(f"no channel {name}")

    def move(self, session, name):
        channel = next(channel for channel, state in self.channels.items() if state.get(3) == name.encode())
        self.send(9, field(1, session) + field(5, channel))

    def show(self, picture):
        """As the picture of oneself, the bytes of a file."""
        self.send(9, field(1, self.session) + field(11, picture))

    def describe(self, name, text):
        channel = next(channel for channel, state in self.channels.items() if state.get(3) == name.encode())
        self.send(7, field(1, channel) + field(5, text))

    def comment(self, text):
        """What a program says of itself."""
        self.send(9, field(1, self.session) + field(14, text))

    def tell(self, session, data, identifier="org.pushtotalk.floor"):
        """Another program, since 1.4."""
        self.send(26, field(2, session) + field(3, data) + field(4, identifier))

    def write(self, channel, text):
        self.send(11, field(3, channel) + field(5, text))

    def mute(self, session, is_muted):
        self.send(9, field(1, session) + field(6, is_muted))

    def remove(self, session, reason):
        self.send(8, field(1, session) + field(3, reason))

    def session_of(self, name):
        return next((session for session, state in self.people.items() if state.get(3) == name.encode()), None)

    def talk(self, seconds, terminated=True, is_over=lambda: False, length=20, loses=0, lost=None):
        """A sine of 1000 Hz through the tunnel, at the pace of a voice, in packets of `length` milliseconds.

        loses: One of so many packets is not sent; or those with these numbers.
        lost: The frequency of those.
        """
        count = int(seconds * 1000 / length)
        begin = time.monotonic()
        for index in range(count):
            is_last = terminated and (index == count - 1)
            if isinstance(loses, set):
                is_lost = index in loses
            else:
                is_lost = loses and index % loses == loses // 2
            is_sent = is_last or not is_lost
            opus = self.encoder.packet(48 * length, None if is_sent else lost)
            if is_sent:
                self.send(1, b"\x80" + mumble(self.counter) + mumble(len(opus) | (0x2000 if is_last else 0)) + opus)
            self.counter += length // 10
            if is_over() and not is_last:
                break
            time.sleep(max(0, begin + (index + 1) * length / 1000 - time.monotonic()))

    def close(self):
        self.closed.set()
        # It is gone either way.
        try:
            self.tls.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        # Its descriptor is not given to another connection while a thread uses it.
        for thread in self.threads:
            thread.join()
        self.tls.close()


def voice(packets):
    """The samples of what was heard."""
    decoder = Decoder()
    return [sample for packet in packets if packet[4] for sample in decoder.samples(packet[4])]
