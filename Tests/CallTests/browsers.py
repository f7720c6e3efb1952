"""A page of a browser, as a meeting: it chooses the Push-to-Talk Microphone by its name, and reports how loud it is."""
import http.server
import json
import os
import threading
import time

from lab import Listener, until
from programs import which

page = """<!doctype html><title>call-test</title><script>
const post = report => fetch("/", {method: "POST", body: JSON.stringify(report)});
(async () => {
  const media = navigator.mediaDevices;
  // Microphones have names for a page only after it has had one.
  const first = await media.getUserMedia({audio: true});
  first.getTracks().forEach(track => track.stop());
  const devices = await media.enumerateDevices();
  const found = devices.find(device => device.kind == "audioinput" && device.label == "Push-to-Talk Microphone");
  if (!found) throw "only: " + devices.map(device => device.label);
  const raw = {echoCancellation: false, noiseSuppression: false, autoGainControl: false};
  const stream = await media.getUserMedia({audio: {deviceId: {exact: found.deviceId}, ...raw}});
  if (location.search == "?left") {
    stream.getTracks().forEach(track => track.stop());
    return post({left: true});
  }
  const context = new AudioContext();
  await context.resume();
  const analyser = new AnalyserNode(context, {fftSize: 32768});
  context.createMediaStreamSource(stream).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  // Each sample is seen more than once, also if the browser calls late.
  setInterval(() => {
    analyser.getFloatTimeDomainData(samples);
    post({loudest: samples.reduce((loudest, sample) => Math.max(loudest, Math.abs(sample)), 0)});
  }, 200);
})().catch(error => post({error: String(error)}));
</script>"""


class Meeting(Listener):
    """What the page reports; it serves the page as well."""

    def __init__(self):
        self.pieces = []
        self.errors = []
        self.is_left = False
        meeting = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.answer(200, page.encode())

            def do_POST(self):
                report = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self.answer(204, b"")
                if "loudest" in report:
                    meeting.pieces.append((time.monotonic(), round(report["loudest"] * 32768)))
                elif "left" in report:
                    meeting.is_left = True
                else:
                    meeting.errors.append(report["error"])

            def answer(self, status, body):
                self.send_response(status)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def address(self):
        # Microphones are for secure pages, and localhost is one.
        return f"http://localhost:{self.server.server_port}/"


class Browser:
    servers = ("PulseAudio", "PipeWire")
    noise = 0
    is_default = False
    has_calls = True

    def __init__(self, name, command, arguments, environment={}, settings=()):
        self.name, self.command, self.arguments = name, command, arguments
        self.environment, self.settings = environment, settings

    def missing(self):
        return next((command for command in [self.command, "Xvfb"] if not which(command)), None)

    def open(self, lab):
        """The page of a meeting that was left."""
        self.start(lab, "?left")
        until("the meeting is left", lambda: self.meeting.is_left, 60)

    def start(self, lab, query=""):
        lab.display()
        profile = lab.path(f"profile-{time.monotonic_ns()}")
        os.mkdir(profile)
        with open(os.path.join(profile, "user.js"), "w") as file:
            file.writelines(f"user_pref({json.dumps(key)}, {json.dumps(value)});\n" for key, value in self.settings)
        self.meeting = Meeting()
        arguments = [argument.format(profile=profile) for argument in self.arguments]
        lab.start("program", [self.command, *arguments, self.meeting.address + query], self.environment)
        return self.meeting

    def stop(self, lab):
        lab.stop("program")
        self.meeting.server.shutdown()


browsers = [
    Browser(
        "Chromium", "chromium",
        ["--no-sandbox", "--user-data-dir={profile}", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage",
         "--password-store=basic", "--disable-background-networking", "--disable-component-update",
         # Nobody is there to say yes.
         "--use-fake-ui-for-media-stream", "--autoplay-policy=no-user-gesture-required"],
    ),
    Browser(
        "Firefox", "firefox-esr", ["--no-remote", "--new-instance", "--profile", "{profile}"],
        {"MOZ_DISABLE_CONTENT_SANDBOX": "1", "MOZ_CRASHREPORTER_DISABLE": "1"},
        [("media.navigator.permission.disabled", True), ("media.autoplay.default", 0), ("media.autoplay.blocking_policy", 0),
         ("browser.shell.checkDefaultBrowser", False), ("browser.aboutwelcome.enabled", False),
         ("datareporting.policy.dataSubmissionEnabled", False), ("app.normandy.enabled", False),
         ("network.captive-portal-service.enabled", False), ("browser.startup.page", 0),
         ("termsofuse.bypassNotification", True), ("browser.preonboarding.enabled", False)],
    ),
]
