"""What the recipes of Documentation/Actions.md are for: programs that follow a button."""
import json
import os
import re
import signal
import socket
import subprocess
import time

from lab import Failed, here, until
from obs import OBS
from programs import Mumble, which


def blocks(kind):
    """Those below the heading, of `toml`, `sh` or `python`."""
    with open(os.path.join(here, "../../Documentation/Actions.md")) as file:
        text = file.read().partition("## Recipes")[2]
    return re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL)


class Press:
    """A call of the socket, whose end is the release (`org.pushtotalk.Action`)."""

    def __init__(self, lab, entry):
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.settimeout(20)
        self.connection.connect(lab.path("run/pushtotalk/actions"))
        parameters = {
            "identifier": entry.get("device", "Pedal"), "name": "Pedal", "accessory": entry.get("accessory", ""),
            "role": role(entry["button"]),
        }
        call = {"method": "org.pushtotalk.Action.Press", "parameters": parameters, "more": True}
        self.connection.sendall(json.dumps(call).encode() + b"\0")
        answer = self.connection.recv(65536).decode()
        if '"began"' not in answer:
            raise Failed(f"the press was answered with {answer}")

    def release(self):
        self.connection.close()


def role(button):
    """As the sockets spell it: `second-talk` of the file is `secondTalk`."""
    first, *rest = button.split("-")
    return first + "".join(word.capitalize() for word in rest)


class Peer:
    """What a recipe is for: in one of two states, `expected`, without and with a press."""

    def missing(self):
        return next((need for need in self.needs if not which(need)), None)

    def stop(self, lab):
        """What does not end with the lab."""

    def follows(self, lab, entry):
        idle, active = self.expected
        until(f"it is {idle} before a press", lambda: self.state(lab) == idle)
        press = Press(lab, entry)
        until(f"it is {active} while a button is pressed", lambda: self.state(lab) == active)
        press.release()
        until(f"it is {idle} after the release", lambda: self.state(lab) == idle)
        press = Press(lab, entry)
        until(f"it is {active} again", lambda: self.state(lab) == active)
        lab.stop("actions", signal.SIGTERM)
        until(f"it is {idle} after the end of ptt-actions", lambda: self.state(lab) == idle)


class Heard(Peer):
    """With a voice at the microphone all the time; `listener` has what comes of it."""

    noise = Mumble.noise
    expected = ("silent", "heard")

    def state(self, lab):
        if self.listener.is_silent(self.noise):
            return "silent"
        return "heard" if self.listener.hears(time.monotonic() - 1) else None


def mask_notifications(lab):
    """Mumble waits for what shows them, which the bus would start."""
    find = "grep -lx Name=org.freedesktop.Notifications /usr/share/dbus-1/services/* | xargs -r sed -n s/SystemdService=//p"
    units = lab.run("sh", "-c", find).split()
    if units:
        lab.manage("MaskUnitFiles", "asbb", str(len(units)), *units, "true", "true")
        lab.manage("Reload")


class MumbleMute(Peer):
    """With a voice at the microphone all the time."""

    program = "setSelfMuted"
    name = "Mumble"
    needs = Mumble.needs

    def start(self, lab):
        mumble = Mumble()
        lab.display()
        mask_notifications(lab)
        mumble.start_client(lab, "listener", 2, "tone", mumble.start_server(lab))
        self.set_muted(lab, True)

    def set_muted(self, lab, is_muted):
        word = str(is_muted).lower()
        lab.run("busctl", "--user", "call", *self.interface, "setSelfMuted", "b", word)

    interface = ["net.sourceforge.mumble.mumble", "/", "net.sourceforge.mumble.Mumble"]

    def state(self, lab):
        return {"b true": "muted", "b false": "talks"}.get(lab.run("busctl", "--user", "call", *self.interface, "isSelfMuted").strip())

    expected = ("muted", "talks")


class TalkKey(Mumble):
    """The bus knows the first one; neither has a key."""

    clients = [("user", 2, "tone"), ("listener", 2, "tone")]


class MumbleTalk(Heard):
    """In a call of two, of which the other end is listened to."""

    program = "startTalking"
    name = "Mumble, its push to talk"
    needs = Mumble.needs

    def missing(self):
        return super().missing() or (None if self.has_method() else "Mumble 1.4 or later")

    def has_method(self):
        with open(which("mumble"), "rb") as file:
            return self.program.encode() in file.read()

    def start(self, lab):
        mask_notifications(lab)
        self.listener = TalkKey().start(lab)


class SourceMute(Heard):
    """OBS, which records, and has the password that stands in the recipe."""

    program = "obs-mute"
    name = "OBS"
    needs = ["obs", "ffmpeg", "Xvfb"]
    obs = OBS("tone", is_muted=True)
    noise = obs.noise

    def missing(self):
        return super().missing() or (None if self.has_module() else "python3-websocket")

    def has_module(self):
        result = subprocess.run(["/usr/bin/python3", "-c", "import websocket"], stderr=subprocess.DEVNULL)
        return result.returncode == 0

    def start(self, lab):
        script = blocks("python")[0]
        password = re.search(r'^password = "(.+)"', script, re.MULTILINE)[1]
        os.makedirs(lab.path("home/.local/bin"))
        lab.write("home/.local/bin/obs-mute", script)
        os.chmod(lab.path("home/.local/bin/obs-mute"), 0o700)
        self.obs.settings = f"[OBSWebSocket]\nFirstLoad=false\nServerEnabled=true\nAuthRequired=true\nServerPassword={password}\n"
        self.listener = self.obs.start(lab)

    def stop(self, lab):
        self.obs.stop(lab)


class Broker(Peer):
    """mosquitto, with a client that receives everything."""

    program = "mosquitto_pub"
    name = "mosquitto"
    needs = ["mosquitto", "mosquitto_pub", "mosquitto_sub"]

    def start(self, lab):
        lab.write("mosquitto.conf", "listener 1883 127.0.0.1\nallow_anonymous true\n")
        lab.start("mosquitto", ["mosquitto", "-c", lab.path("mosquitto.conf")])
        until("the broker runs", lambda: "running" in lab.log("mosquitto"))
        lab.start("subscriber", ["mosquitto_sub", "-h", "127.0.0.1", "-v", "-t", "#"])
        lab.run("sh", "-euc", blocks("sh")[0])
        until("the broker has the discovery message", lambda: self.discovery(lab))

    def messages(self, lab):
        return [line.partition(" ")[::2] for line in lab.log("subscriber").splitlines()]

    def discovery(self, lab):
        """What Home Assistant makes a binary sensor from."""
        pattern = r"homeassistant/binary_sensor/\w+/config"
        return next((json.loads(text) for topic, text in self.messages(lab) if re.fullmatch(pattern, topic)), None)

    def state(self, lab):
        sensor = self.discovery(lab)
        states = [text for topic, text in self.messages(lab) if topic == sensor["state_topic"]]
        on, off = sensor.get("payload_on", "ON"), sensor.get("payload_off", "OFF")
        return {on: "on", off: "off"}[states[-1]] if states else "off"

    expected = ("off", "on")


class Player(Peer):
    """mpv, which plays music."""

    program = "playerctl"
    name = "playerctl with mpv"
    needs = ["playerctl", "mpv"]

    def start(self, lab):
        script = "/usr/lib/mpv-mpris/mpris.so"
        if not os.path.exists(script):
            raise Failed("mpv-mpris is not installed")
        lab.start("mpv", ["mpv", "--no-config", "--script=" + script, "--no-video", "--ao=null", "av://lavfi:sine"])
        until("it plays", lambda: self.state(lab) == "Playing")

    def state(self, lab):
        return lab.run("playerctl", "status").strip()

    expected = ("Playing", "Paused")


class Dictation(Peer):
    """A window that is typed into, and somebody who speaks."""

    program = "pocketsphinx"
    name = "dictation with pocketsphinx"
    needs = ["pocketsphinx_continuous", "xdotool", "espeak-ng", "ffmpeg", "xterm", "Xvfb"]

    def start(self, lab):
        lab.display()
        lab.manage("SetEnvironment", "as", "1", "DISPLAY=" + lab.environment["DISPLAY"])
        lab.start("xterm", ["xterm", "-e", "sh", "-c", f"echo > {lab.path('window')}; exec cat > {lab.path('typed')}"])
        until("there is a window", lambda: os.path.exists(lab.path("window")))
        # Where no window manager runs the window under the pointer has the keyboard.
        lab.run("xdotool", "mousemove", "20", "20")
        lab.run("espeak-ng", "-v", "en-us", "-s", "130", "-w", lab.path("speech.wav"), "open the window please")
        lab.stop("tone")

    def follows(self, lab, entry):
        # Into the pipe of the microphone, as fast as it is spoken; silence is the first and the last that is in it.
        raw = ["-af", "adelay=500,apad=pad_dur=2", "-ar", "48000", "-ac", "1", "-f", "s16le"]
        press = Press(lab, entry)
        speaker = lab.start("speaker", ["ffmpeg", "-nostdin", "-y", "-re", "-i", lab.path("speech.wav"), *raw, lab.path("tone")])
        until("everything is said", lambda: speaker.poll() is not None)
        press.release()

        def words():
            with open(lab.path("typed")) as file:
                return file.read().split()

        # Not which words: the voice of espeak-ng is not always understood.
        until("words are typed", lambda: len(words()) > 1)
