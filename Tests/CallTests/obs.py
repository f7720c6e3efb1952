"""OBS records its Mic/Auxiliary Audio to a file, which is read while it grows."""
import json
import os
import time

from lab import Listener, until
from programs import ffmpeg, which


class OBS:
    name = "OBS"
    servers = ("PulseAudio", "PipeWire")
    # AAC makes small numbers of zeros.
    noise = 40
    is_default = False
    has_calls = True

    def __init__(self, device="ptt_mic", is_muted=False, settings=""):
        """`settings` are for global.ini."""
        self.device, self.is_muted, self.settings = device, is_muted, settings

    def missing(self):
        return next((command for command in ["obs", "ffmpeg", "Xvfb", "xdotool"] if not which(command)), None)

    def open(self, lab):
        """Without recording to a file."""
        self.start_program(lab)
        until("its window is there", lambda: lab.run("xdotool", "search", "--onlyvisible", "--name", "^OBS"), 60)

    def start_program(self, lab, *arguments):
        lab.display()
        folder = lab.path(f"recordings-{time.monotonic_ns()}")
        self.configure(lab, folder)
        lab.start(
            "program",
            ["obs", "--multi", "--disable-updater", "--disable-missing-files-check", *arguments],
            {"LIBGL_ALWAYS_SOFTWARE": "1", "QT_QPA_PLATFORM": "xcb"},
        )
        return folder

    def start(self, lab):
        folder = self.start_program(lab, "--startrecording")
        until("OBS records to a file", lambda: os.listdir(folder), 60)
        reader, writer = os.pipe()
        follow = 'tail --bytes=+1 --follow --sleep-interval=0.05 "$0" | ffmpeg -loglevel error -i pipe:0 "$@"'
        recording = os.path.join(folder, os.listdir(folder)[0])
        lab.start("recording", ["setsid", "sh", "-c", follow, recording, *ffmpeg], output=writer)
        os.close(writer)
        return Listener(reader)

    def stop(self, lab):
        lab.stop("program")
        if "recording" in lab.processes:
            lab.run("pkill", "--session", str(lab.processes["recording"].pid))
            lab.stop("recording")

    def configure(self, lab, folder):
        """As the wizard of its first start would leave it, with the microphone chosen in Settings → Audio."""
        os.makedirs(folder)
        profile, scenes = lab.path("config/obs-studio/basic/profiles/Untitled"), lab.path("config/obs-studio/basic/scenes")
        os.makedirs(profile, exist_ok=True)
        os.makedirs(scenes, exist_ok=True)
        lab.write(
            "config/obs-studio/global.ini",
            "[General]\nFirstRun=true\nInfoIncrement=99\nLastVersion=520093697\nEnableAutoUpdates=false\n"
            "[Basic]\nProfile=Untitled\nProfileDir=Untitled\nSceneCollection=Untitled\nSceneCollectionFile=Untitled\n"
            + self.settings,
        )
        lab.write(
            "config/obs-studio/basic/profiles/Untitled/basic.ini",
            "[General]\nName=Untitled\n[Audio]\nSampleRate=48000\n"
            "[Video]\nBaseCX=320\nBaseCY=240\nOutputCX=320\nOutputCY=240\nFPSCommon=10\n"
            f"[SimpleOutput]\nFilePath={folder}\nRecFormat=mkv\nRecFormat2=mkv\nVBitrate=200\n",
        )
        microphone = {
            "id": "pulse_input_capture", "versioned_id": "pulse_input_capture", "name": "Mic/Aux",
            "settings": {"device_id": self.device}, "mixers": 255, "volume": 1.0, "muted": self.is_muted, "enabled": True,
        }
        scene = {"id": "scene", "versioned_id": "scene", "name": "Scene", "settings": {"id_counter": 0, "items": []}}
        collection = {
            "name": "Untitled", "AuxAudioDevice1": microphone, "sources": [scene], "groups": [], "transitions": [],
            "scene_order": [{"name": "Scene"}], "current_scene": "Scene", "current_program_scene": "Scene",
        }
        lab.write("config/obs-studio/basic/scenes/Untitled.json", json.dumps(collection))
