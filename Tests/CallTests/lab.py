"""A sound server whose microphone hears 440 Hz, a second speaker for the other end of a call, and the built core."""
import array
import json
import os
import signal
import subprocess
import tempfile
import threading
import time

here = os.path.dirname(os.path.realpath(__file__))
voice = 1000
build = os.environ.get("PTT_PROGRAMS") or os.path.realpath(os.path.join(here, "../../.build/debug"))


class Failed(Exception):
    pass


def until(what, condition, limit=20):
    end = time.monotonic() + limit
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.1)
    raise Failed(f"{what}: not within {limit} s")


class Lab:
    def __init__(self, server):
        self.server = server
        self.directory = tempfile.mkdtemp(prefix="call-test-", dir="/tmp")
        self.processes = {}
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": self.path("home"), "LANG": "C.UTF-8", "TMPDIR": "/tmp",
            "XDG_RUNTIME_DIR": self.path("run"), "PIPEWIRE_RUNTIME_DIR": self.path("run"),
            "XDG_CONFIG_HOME": self.path("config"), "XDG_STATE_HOME": self.path("state"),
            "PULSE_SERVER": "unix:" + self.path("run/pulse/native"),
            "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=" + self.path("no-bus"),
        }
        for name in ["home", "run/pulse", "run/pushtotalk", "config/pushtotalk", "config/pipewire/pipewire.conf.d"]:
            os.makedirs(self.path(name), 0o700)
        self.write("config/pushtotalk/pttd.toml", "indicator = false\n[tones]\nenabled = false\n")
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=" + self.path("run/bus")
        self.start_bus()
        until("a session bus runs", lambda: os.path.exists(self.path("run/bus")))
        {"PulseAudio": self.start_pulseaudio, "PipeWire": self.start_pipewire}[server]()
        until("a sound server runs", lambda: {"tone", "speaker", "far"} <= self.devices())
        self.run("pactl", "set-default-source", "tone")
        self.run("pactl", "set-default-sink", "speaker")
        self.start_core()

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def start(self, name, command, environment={}, output=None):
        """In the background; what it says is in NAME.log."""
        with open(self.path(name + ".log"), "a") as log:
            process = subprocess.Popen(
                command, env={**self.environment, **environment}, stdin=subprocess.DEVNULL, stdout=output or log, stderr=log,
                cwd=self.directory,
            )
        self.processes[name] = process
        return process

    def stop(self, name, number=signal.SIGTERM):
        process = self.processes.pop(name, None)
        if not process:
            return
        process.send_signal(number)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def close(self):
        for name in reversed(list(self.processes)):
            self.stop(name, signal.SIGKILL)
        subprocess.run(["rm", "-rf", self.directory])

    def run(self, *command, limit=20):
        try:
            result = subprocess.run(
                command, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=limit
            )
        except subprocess.TimeoutExpired as error:
            raise Failed(str(error))
        return result.stdout

    def devices(self):
        lines = (self.run("pactl", "list", "short", "sources") + self.run("pactl", "list", "short", "sinks")).splitlines()
        return {line.split("\t")[1] for line in lines if "\t" in line}

    def log(self, name):
        with open(self.path(name + ".log"), errors="replace") as file:
            return file.read()

    def start_bus(self):
        self.start("bus", ["dbus-daemon", "--session", "--nofork", "--address=unix:path=" + self.path("run/bus")])

    # --- The sound server

    def start_pulseaudio(self):
        modules = [
            "module-native-protocol-unix auth-anonymous=1 socket=" + self.path("run/pulse/native"),
            "module-null-sink sink_name=speaker", "module-null-sink sink_name=far",
            f"module-pipe-source source_name=tone file={self.path('tone')} rate=48000 channels=1 format=s16le",
        ]
        self.start(
            "pulseaudio",
            ["pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--high-priority=no"]
            + [f"--load={module}" for module in modules],
        )
        self.start_tone()

    def start_pipewire(self):
        sinks = "".join(
            "{ factory = adapter args = { factory.name = support.null-audio-sink node.name = %s media.class = Audio/Sink"
            " priority.session = %d object.linger = true audio.position = [ FL FR ] monitor.channel-volumes = true } }\n"
            % sink
            for sink in [("speaker", 1000), ("far", 900)]
        )
        self.write("config/pipewire/pipewire.conf.d/devices.conf", f"context.objects = [\n{sinks}]\n")
        fragment = os.path.join(here, "../../pipewire/50-push-to-talk.conf")
        self.run("cp", fragment, self.path("config/pipewire/pipewire.conf.d/"))
        self.write(
            "config/pipewire/tone.conf",
            """
            context.spa-libs = { audio.convert.* = audioconvert/libspa-audioconvert support.* = support/libspa-support }
            context.modules = [
              { name = libpipewire-module-protocol-native }
              { name = libpipewire-module-client-node }
              { name = libpipewire-module-adapter }
              { name = libpipewire-module-pipe-tunnel args = {
                tunnel.mode = source pipe.filename = "%s" audio.format = S16LE audio.rate = 48000 audio.channels = 1
                audio.position = [ MONO ] stream.props = {
                  node.name = tone media.class = Audio/Source node.autoconnect = false priority.session = 2000 } } }
            ]
            """
            % self.path("tone"),
        )
        self.start("pipewire", ["pipewire"])
        until("pipewire runs", lambda: os.path.exists(self.path("run/pipewire-0")))
        self.start("wireplumber", ["wireplumber"])
        self.start("pipewire-pulse", ["pipewire-pulse"])
        until("pipewire-pulse runs", lambda: os.path.exists(self.path("run/pulse/native")))
        self.start("microphone", ["pipewire", "-c", "tone.conf"])
        self.start_tone()

    def start_tone(self):
        until("the microphone has a pipe", lambda: os.path.exists(self.path("tone")))
        self.start("tone", [os.path.join(here, "../DesktopTests/tone"), self.path("tone")])

    # --- The core

    def start_core(self):
        self.start("pttd", [os.path.join(build, "pttd")])
        until("the Push-to-Talk Microphone is there", lambda: self.microphone() in ("idle", "recorded"))

    def kill_core(self):
        self.stop("pttd", signal.SIGKILL)

    def microphone(self):
        """The state of the Push-to-Talk Microphone; None while the core does not answer."""
        text = self.run(os.path.join(build, "pttctl"), "status", "--json")
        try:
            return json.loads(text)["virtualMicrophone"]["state"]
        except (ValueError, KeyError):
            return None

    def cost(self, seconds=10):
        """What core and sound server do by themselves."""
        servers = ["pulseaudio"] if self.server == "PulseAudio" else ["pipewire", "wireplumber", "pipewire-pulse"]
        before = [self.work(["pttd"]), self.work(servers)]
        time.sleep(seconds)
        after = [self.work(["pttd"]), self.work(servers)]
        core, server = [(last[0] - first[0]) / seconds for first, last in zip(before, after)]
        load = (after[1][1] - before[1][1]) / os.sysconf("SC_CLK_TCK") / seconds
        return f"core {core:.0f}/s, server {server:.0f}/s and {load:.1%}"

    def work(self, names):
        """How often their threads have gone to sleep, and their time in ticks (proc(5))."""
        switches = ticks = 0
        for process in [self.processes[name].pid for name in names]:
            for thread in os.listdir(f"/proc/{process}/task"):
                with open(f"/proc/{process}/task/{thread}/status") as file:
                    switches += next(int(line.split()[1]) for line in file if line.startswith("voluntary_ctxt"))
            with open(f"/proc/{process}/stat") as file:
                ticks += sum(int(number) for number in file.read().rpartition(")")[2].split()[11:13])
        return switches, ticks

    def press(self):
        """Holds a button until `release`."""
        self.start("press", [os.path.join(build, "pttctl"), "talk", "--for", "50s"])

    def release(self):
        self.stop("press", signal.SIGINT)

    def display(self):
        if "DISPLAY" in self.environment:
            return
        reader, writer = os.pipe()
        with open(self.path("xvfb.log"), "w") as log:
            self.processes["xvfb"] = subprocess.Popen(
                ["Xvfb", "-displayfd", str(writer), "-noreset", "-screen", "0", "1280x900x24", "-nolisten", "tcp"],
                pass_fds=[writer], env=self.environment, stdout=log, stderr=log,
            )
        os.close(writer)
        self.environment["DISPLAY"] = ":" + os.read(reader, 20).decode().strip()


class Listener:
    """What a program writes: the time and the loudest sample of each piece."""

    def __init__(self, file, form="h"):
        self.pieces = []
        self.form = form
        self.file = file
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        size = array.array(self.form).itemsize
        rest = b""
        while True:
            data = os.read(self.file, 65536)
            if not data:
                return
            data = rest + data
            end = len(data) - len(data) % size
            rest = data[end:]
            samples = array.array(self.form, data[:end])
            scale = 1 if self.form == "h" else 32768
            loudest = max((abs(sample) for sample in samples), default=0) * scale
            self.pieces.append((time.monotonic(), loudest))

    def loudest(self, since):
        """None if nothing has arrived since then."""
        return max((loud for when, loud in list(self.pieces) if when >= since), default=None)

    def is_silent(self, noise, duration=1):
        """True once nothing louder has arrived for so long, and something has."""
        loudest = self.loudest(time.monotonic() - duration)
        began = self.pieces[0][0] if self.pieces else time.monotonic()
        return loudest is not None and loudest <= noise and time.monotonic() - began > duration

    def hears(self, since):
        return (self.loudest(since) or 0) > voice
