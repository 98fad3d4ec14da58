# SPDX-License-Identifier: MIT
"""A headless Chromium, spoken to over its debugging pipe: what a page does while it loads."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PATIENCE_S = 60


def find():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        path = shutil.which(name)
        if path:
            return path
    return None


class Browser:
    """Used with "with". Commands and events are those of the Chrome DevTools Protocol."""

    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="t1s-browser-")
        to_it, ours_to = os.pipe()
        ours_from, from_it = os.pipe()
        self.to, self.source = ours_to, ours_from
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-background-networking", "--disable-component-update",
             "--remote-debugging-pipe", f"--user-data-dir={self.folder}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            close_fds=False, preexec_fn=lambda: self._place(to_it, from_it),
            start_new_session=True)
        os.close(to_it)
        os.close(from_it)
        self.buffer = b""
        self.number = 0
        self.events = []
        self.session = None

    @staticmethod
    def _place(to_it, from_it):
        # 3 and 4 are where Chromium looks; neither may be lost while the other is placed
        reading, writing = os.dup(to_it), os.dup(from_it)
        high = [fd for fd in (reading, writing)]
        while high[0] in (3, 4):
            high[0] = os.dup(high[0])
        while high[1] in (3, 4):
            high[1] = os.dup(high[1])
        os.dup2(high[0], 3)
        os.dup2(high[1], 4)

    def __enter__(self):
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(t for t in targets if t["type"] == "page")
        self.session = self.call(
            "Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime"):
            self.call(domain + ".enable")
        return self

    def __exit__(self, *_):
        os.close(self.to)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.source)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _message(self, deadline):
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.source], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            block = os.read(self.source, 1 << 20)
            if not block:
                raise RuntimeError("the browser is gone")
            self.buffer += block
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE_S
        while True:
            message = self._message(deadline)
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            if "method" in message:
                self.events.append(message)

    def open(self, url):
        """Loads a page and returns the events of its loading, and of a moment after."""
        self.events = []
        self.call("Page.navigate", url=url)
        deadline = time.monotonic() + PATIENCE_S
        while not any(e["method"] == "Page.loadEventFired" for e in self.events):
            message = self._message(deadline)
            if "method" in message:
                self.events.append(message)
        self.evaluate("new Promise(done => setTimeout(done, 300))")
        return self.events

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(str(result["exceptionDetails"]))
        return result["result"].get("value")

    def view(self, width, height, scheme="light", media=""):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def shot(self, path):
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))


def requests(events):
    return [e["params"]["request"]["url"] for e in events
            if e["method"] == "Network.requestWillBeSent"]


def complaints(events):
    """Whatever a console would show, and exceptions."""
    return [json.dumps(e["params"])[:400] for e in events
            if e["method"] in ("Log.entryAdded", "Runtime.consoleAPICalled",
                               "Runtime.exceptionThrown")]
