# SPDX-License-Identifier: MIT
"""Chromium without a window, spoken to over its DevTools protocol on a pipe: standard library only."""
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find():
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Page:
    """One tab.  errors: what scripts complained about; dialogs: alert() and the like."""

    def __init__(self, width=1200, height=800, dark=False, script=True):
        self.errors, self.dialogs, self.seen, self.last = [], [], [], 0
        self.profile = tempfile.mkdtemp(prefix="perfrep-chromium.")
        down_read, self.down = os.pipe()
        self.up, up_write = os.pipe()

        def pipes():
            # to descriptors 3 and 4, by way of numbers that neither has
            os.dup2(down_read, 103)
            os.dup2(up_write, 104)
            os.dup2(103, 3)
            os.dup2(104, 4)
            os.set_inheritable(3, True)
            os.set_inheritable(4, True)

        self.process = subprocess.Popen(
            [find(), "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--hide-scrollbars", "--no-first-run", f"--user-data-dir={self.profile}",
             f"--window-size={width},{height}", "about:blank"],
            preexec_fn=pipes, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(down_read)
        os.close(up_write)
        self.buffer, self.session = b"", None
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(t for t in targets if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        if not script:
            self.call("Emulation.setScriptExecutionDisabled", value=True)

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(10)
        except (OSError, TimeoutError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.down)
        os.close(self.up)
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.close()

    def _read(self, deadline):
        while b"\0" not in self.buffer:
            if not select.select([self.up], [], [], max(0, deadline - time.time()))[0]:
                raise TimeoutError("the browser does not answer")
            piece = os.read(self.up, 1 << 20)
            if not piece:
                raise OSError("the browser has ended")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def _note(self, message):
        method, params = message.get("method"), message.get("params", {})
        self.seen.append(method)
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"]["text"])
        elif method == "Page.javascriptDialogOpening":
            self.dialogs.append(params["message"])
            self._send("Page.handleJavaScriptDialog", {"accept": True})

    def _send(self, method, params):
        self.last += 1
        message = {"id": self.last, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.down, json.dumps(message).encode() + b"\0")
        return self.last

    def call(self, method, **params):
        wanted, deadline = self._send(method, params), time.time() + 60
        while True:
            message = self._read(deadline)
            if message.get("id") == wanted:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            if "method" in message:
                self._note(message)

    def open(self, url):
        """Returns the seconds until the page was loaded."""
        start, deadline, self.seen = time.time(), time.time() + 60, []
        self.call("Page.navigate", url=url)
        while "Page.loadEventFired" not in self.seen:
            self._note(self._read(deadline))
        return time.time() - start

    def run(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description"))
        return answer["result"].get("value")

    def settle(self):
        """Wait until what was done is drawn."""
        self.run("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")

    def mouse(self, x, y, click=True):
        kinds = ["mouseMoved"] + (["mousePressed", "mouseReleased"] if click else [])
        for kind in kinds:
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, clickCount=int(click),
                      button="left" if kind != "mouseMoved" else "none")
        self.settle()

    def key(self, name, text=None):
        """A key by its name, as KeyboardEvent.key has it."""
        codes = {"Enter": 13, "Escape": 27, "Backspace": 8, "ArrowLeft": 37, "ArrowUp": 38,
                 "ArrowRight": 39, "ArrowDown": 40}
        text = text or (name if len(name) == 1 else "\r" if name == "Enter" else "")
        self.call("Input.dispatchKeyEvent", type="keyDown", key=name, text=text,
                  windowsVirtualKeyCode=codes.get(name, ord(name.upper()) if len(name) == 1 else 0))
        self.call("Input.dispatchKeyEvent", type="keyUp", key=name)
        self.settle()

    def type(self, text):
        self.call("Input.insertText", text=text)
        self.settle()

    def screenshot(self, path):
        import base64

        with open(path, "wb") as f:
            f.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
