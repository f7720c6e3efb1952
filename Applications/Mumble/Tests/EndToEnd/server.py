"""A mumble-server of its own on loopback, and a proxy in front of it whose UDP can be cut."""
import os
import select
import shutil
import signal
import socket
import subprocess
import threading
import time

from peer import Peer


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


# Of another release of Debian, which only root can start.
root = os.environ.get("PTT_MUMBLE_SERVER_ROOT", "/")
program = next((path for path in ["/usr/sbin/murmurd", "/usr/bin/mumble-server"] if os.path.exists(root + path)), None)


class Server:
    def __init__(self, directory, channel, host="127.0.0.1"):
        """host: Where it listens; nothing means everywhere."""
        self.directory = directory
        self.host = host
        self.channel = channel
        self.port = free_port()
        self.process = None
        self.begin()

    def begin(self):
        """A new server, with a new certificate."""
        shutil.rmtree(self.directory, ignore_errors=True)
        os.makedirs(self.directory)
        self.configure()
        # It ends with status 1 also if the password was set.
        subprocess.run([*self.command, "-supw", "super"], capture_output=True)
        self.start()
        owner = Peer(self.port, "SuperUser", "super", host=self.near)
        owner.create(self.channel)
        owner.enter(self.channel)
        owner.close()

    def configure(self):
        with open(os.path.join(self.directory, "server.ini"), "w") as file:
            file.write(
                f"database={self.directory}/server.sqlite\nhost={self.host}\nport={self.port}\nlogfile=\nbonjour=False\nice=\n"
                "uname=root\nregisterName=\nautobanAttempts=0\nmessageburst=100\nmessagelimit=100\n"
            )

    @property
    def near(self):
        """Where the tests reach it."""
        return self.host or "127.0.0.1"

    @property
    def command(self):
        command = [program, "-ini", os.path.join(self.directory, "server.ini")]
        if root == "/":
            return command
        # The mounts end with the process, which becomes the server.
        mounts = 'mount --rbind /dev "$0/dev" && mount --bind /tmp "$0/tmp" && exec chroot "$0" "$@"'
        return ["unshare", "--mount", "--propagation", "private", "sh", "-c", mounts, root, *command]

    def start(self):
        self.configure()
        with open(os.path.join(self.directory, "server.log"), "a") as log:
            self.process = subprocess.Popen([*self.command, "-fg"], stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        end = time.monotonic() + 20
        while time.monotonic() < end:
            try:
                socket.create_connection((self.near, self.port), 1).close()
                return
            except OSError:
                time.sleep(0.1)
        raise AssertionError("the server does not start")

    def pause(self):
        """Its machine still accepts connections, and it says nothing."""
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def kill(self):
        if self.process:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None


class Proxy:
    """Passes TCP and UDP on to a server."""

    def __init__(self, target):
        self.target = ("127.0.0.1", target)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", self.port))
        self.ways = {}
        self.passes_udp = True
        # Datagrams and bytes of TCP that came from clients.
        self.datagrams = self.bytes = 0
        self.connections = []
        self.frozen = []
        threading.Thread(target=self.accept, daemon=True).start()
        threading.Thread(target=self.pass_udp, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            try:
                server = socket.create_connection(self.target)
            except OSError:
                client.close()
                continue
            self.connections += [client, server]
            threading.Thread(target=self.pass_tcp, args=[client, server, True], daemon=True).start()
            threading.Thread(target=self.pass_tcp, args=[server, client, False], daemon=True).start()

    def pass_tcp(self, source, sink, counts):
        try:
            while data := source.recv(65536):
                if source in self.frozen:
                    continue
                if counts:
                    self.bytes += len(data)
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def pass_udp(self):
        while True:
            readable, _, _ = select.select([self.udp, *[way for way, _ in self.ways.values()]], [], [], 1)
            for source in readable:
                try:
                    data, address = source.recvfrom(4096)
                except OSError:
                    continue
                if address in self.frozen:
                    continue
                if source is self.udp:
                    self.datagrams += 1
                    if address not in self.ways:
                        way = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                        way.connect(self.target)
                        self.ways[address] = (way, address)
                    if self.passes_udp:
                        self.ways[address][0].send(data)
                elif self.passes_udp:
                    self.udp.sendto(data, next(client for way, client in self.ways.values() if way is source))

    def freeze(self):
        """What comes on the connections that there are is lost, as behind a router that has forgotten them."""
        self.frozen = [*self.connections, *self.ways]

    def cut(self):
        """Ends all TCP connections."""
        for end in self.connections:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.connections = []
