"""The programs that record: how each is started, and where the sound is found that it has recorded."""
import os
import shutil

from lab import Listener, here, until


def which(command):
    """Also what only root has in its path."""
    return shutil.which(command, path=os.environ["PATH"] + ":/usr/sbin")


class Program:
    """Writes what it records to its standard output: 16 bits, 48 kHz, mono."""

    name = ""
    servers = ("PulseAudio", "PipeWire")
    # What counts as silence. Codecs make small numbers of zeros.
    noise = 0
    # In place of choosing the microphone by name.
    is_default = False
    # It can be `open`, with the Push-to-Talk Microphone chosen, while it is in no call.
    has_calls = False

    def __init__(self, name, command, needs=(), environment={}, is_default=False, servers=servers, form="h"):
        self.name, self.command, self.needs = name, command, needs
        self.environment, self.is_default, self.servers, self.form = environment, is_default, servers, form

    def missing(self):
        return next((command for command in [self.command[0], *self.needs] if not which(command)), None)

    def start(self, lab):
        reader, writer = os.pipe()
        lab.start("program", self.command, self.environment, output=writer)
        os.close(writer)
        return Listener(reader, self.form)

    def stop(self, lab):
        lab.stop("program")


class Call:
    """Two ends: the other one plays to the speaker `far`, which is recorded here."""

    servers = ("PulseAudio", "PipeWire")
    noise = 40
    is_default = False
    has_calls = True
    needs = ()

    def missing(self):
        return next((command for command in self.needs if not which(command)), None)

    def start(self, lab):
        reader, writer = os.pipe()
        command = ["parec", "-d", "far.monitor", "--rate=48000", "--channels=1", "--format=s16le", "--latency-msec=20"]
        lab.start("far", command, output=writer)
        os.close(writer)
        self.connect(lab)
        return Listener(reader)

    def stop(self, lab):
        for name in self.processes:
            lab.stop(name)
        lab.stop("far")


class Baresip(Call):
    name = "baresip, a SIP call"
    needs = ("baresip",)
    processes = ("ann", "bob")

    def open(self, lab):
        self.configure(lab)
        self.start_end(lab, "ann")

    def connect(self, lab):
        self.configure(lab)
        self.start_end(lab, "bob")
        self.start_end(lab, "ann", "-e", "d sip:bob@127.0.0.1:5080")

    def start_end(self, lab, name, *arguments):
        lab.write(f"{name}.log", "")
        lab.start(name, ["baresip", "-f", lab.path(name), "-v", *arguments])
        until(f"{name} is ready", lambda: "baresip is ready" in lab.log(name))

    def configure(self, lab):
        devices = ["ptt_mic", "far", "speaker"]
        with open(lab.path("home/.asoundrc"), "w") as file:
            file.writelines(f"pcm.{name} {{ type pulse device {name} }}\n" for name in devices)
        modules = next(
            path for path in ["/usr/lib/baresip/modules", "/usr/lib64/baresip/modules"] if os.path.isdir(path)
        )
        for name, port, source, player, mode in [
            ("bob", 5080, "ausine,440", "alsa,far", "auto"),
            ("ann", 5070, "alsa,ptt_mic", "alsa,speaker", "manual"),
        ]:
            os.makedirs(lab.path(name), exist_ok=True)
            lab.write(f"{name}/accounts", f"<sip:{name}@127.0.0.1:{port}>;regint=0;answermode={mode}\n")
            lab.write(f"{name}/contacts", "")
            lab.write(
                f"{name}/config",
                f"sip_listen 127.0.0.1:{port}\nnet_interface 127.0.0.1\n"
                f"audio_player {player}\naudio_source {source}\naudio_alert alsa,speaker\n"
                f"ausrc_srate 48000\nauplay_srate 48000\nmodule_path {modules}\n"
                "module alsa.so\nmodule ausine.so\nmodule opus.so\nmodule g711.so\nmodule_app account.so\nmodule_app menu.so\n",
            )


class Mumble(Call):
    name = "Mumble, transmitting continuously"
    # Debian 12 has the server under its old name.
    server = next(filter(None, map(which, ["mumble-server", "murmurd"])), "mumble-server")
    needs = ("mumble", server, "Xvfb", "xdotool", "openssl", "sqlite3")
    processes = ("user", "listener", "mumble-server")
    port = 64799
    # The setting of its transmission: 0 continuous, 2 push to talk; and its microphone.
    clients = [("listener", 2, "tone"), ("user", 0, "ptt_mic")]

    def open(self, lab):
        lab.display()
        self.start_program(lab, "user", self.configure(lab, "user", 0, "ptt_mic"))

        def is_there():
            self.cancel_certificate(lab)
            return lab.run("xdotool", "search", "--onlyvisible", "--name", "^Mumble")

        until("it asks for a server", is_there, 60)

    def connect(self, lab):
        lab.display()
        digest = self.start_server(lab)
        for client in self.clients:
            self.start_client(lab, *client, digest)

    def cancel_certificate(self, lab):
        """Mumble 1.3 first asks for one, in a window at 0,0."""
        lab.run("xdotool", "mousemove", "607", "580", "click", "1")

    def start_server(self, lab):
        key, certificate = lab.path("key.pem"), lab.path("certificate.pem")
        lab.run(
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2",
            "-subj", "/CN=call-test",
        )
        lab.write(
            "server.ini",
            f"database={lab.path('server.sqlite')}\nhost=127.0.0.1\nport={self.port}\nsslCert={certificate}\nsslKey={key}\n"
            f"bonjour=False\nbandwidth=130000\nautobanAttempts=0\nuname=\npidfile={lab.path('server.pid')}\nlogfile=\n",
        )
        # Started as root it becomes its own user, who has to read and write there.
        if os.getuid() == 0:
            lab.run("chmod", "a+rwX", "-R", lab.directory)
            lab.run("chmod", "a+rwx", lab.directory)
            lab.run("chmod", "700", lab.path("run"))
        lab.start("mumble-server", [self.server, "-fg", "-ini", lab.path("server.ini")])
        until("the server listens", lambda: "listening on" in lab.log("mumble-server").lower())
        text = lab.run("openssl", "x509", "-in", certificate, "-noout", "-fingerprint", "-sha1")
        return text.partition("=")[2].replace(":", "").strip().lower()

    def start_client(self, lab, name, transmit, source, digest):
        home = self.configure(lab, name, transmit, source)
        lab.run(
            "sqlite3", home + "/data/Mumble/Mumble/mumble.sqlite",
            "CREATE TABLE IF NOT EXISTS cert (id INTEGER PRIMARY KEY AUTOINCREMENT, hostname TEXT, port INTEGER, digest TEXT);"
            f"INSERT INTO cert (hostname, port, digest) VALUES ('127.0.0.1', {self.port}, '{digest}');",
        )
        known = lab.log("mumble-server").count("Authenticated")
        self.start_program(lab, name, home, "-m", f"mumble://{name}@127.0.0.1:{self.port}/?version=1.2.0")

        def is_connected():
            self.cancel_certificate(lab)
            return lab.log("mumble-server").count("Authenticated") > known

        until(f"{name} is in the server", is_connected, 60)

    def start_program(self, lab, name, home, *arguments):
        lab.start(
            name,
            ["mumble", *arguments],
            {"HOME": home, "XDG_CONFIG_HOME": home + "/config", "XDG_DATA_HOME": home + "/data",
             "QT_LOGGING_RULES": "*=false"},
        )

    def configure(self, lab, name, transmit, source):
        """Returns the home of a user whose microphone is chosen."""
        home = lab.path("mumble-" + name)
        config, data = home + "/config/Mumble", home + "/data/Mumble/Mumble"
        os.makedirs(config, exist_ok=True)
        os.makedirs(data, exist_ok=True)
        with open(config + "/Mumble.conf", "w") as file:
            file.write(
                f"[General]\nlastupdate=2\ndatabase={data}/mumble.sqlite\n\n"
                f"[audio]\ninput=PulseAudio\noutput=PulseAudio\ntransmit={transmit}\nnoisesupress=0\nmaxloudness=1000\n"
                # 1.5 would take the voice, which is one tone, for noise.
                "noiseCancelMode=0\n\n"
                f"[pulseaudio]\ninput={source}\noutput={'speaker' if name == 'user' else 'far'}\n\n"
                "[ui]\nupdateCheck=false\npluginCheck=false\nusage=false\naskonquit=false\n\n[tts]\nenable=false\n"
            )
        return home


raw = ["-f", "S16_LE", "-r", "48000", "-c", "1", "-t", "raw"]
gstreamer = ["!", "audioconvert", "!", "audioresample", "!", "audio/x-raw,format=S16LE,rate=48000,channels=1", "!", "fdsink"]
ffmpeg = ["-ac", "1", "-ar", "48000", "-f", "s16le", "-flush_packets", "1", "pipe:1"]
everything = [
    Program("parec", ["parec", "-d", "ptt_mic", "--rate=48000", "--channels=1", "--format=s16le", "--latency-msec=20"]),
    Program("arecord", ["arecord", "-q", "-D", "pulse", *raw], environment={"PULSE_SOURCE": "ptt_mic"}),
    Program("arecord, default", ["arecord", "-q", "-D", "pulse", *raw], is_default=True),
    Program("FFmpeg", ["ffmpeg", "-nostdin", "-loglevel", "error", "-f", "pulse", "-i", "ptt_mic", *ffmpeg]),
    Program("FFmpeg, default", ["ffmpeg", "-nostdin", "-loglevel", "error", "-f", "pulse", "-i", "default", *ffmpeg],
            is_default=True),
    Program("GStreamer, pulsesrc", ["gst-launch-1.0", "-q", "pulsesrc", "device=ptt_mic", *gstreamer]),
    Program("GStreamer, autoaudiosrc", ["gst-launch-1.0", "-q", "autoaudiosrc", *gstreamer], is_default=True),
    Program("pw-record", [here + "/record-file", "pw-record", "--target", "ptt_mic", "--rate", "48000", "--channels", "1",
                          "--format", "s16"], needs=["pw-record"], servers=["PipeWire"]),
    Program("JACK", ["pw-jack", here + "/jack-recorder"], servers=["PipeWire"], form="f"),
    Baresip(),
    Mumble(),
]
