"""A real browser without a driver: Chromium's own protocol over a pair of pipes."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars --remote-debugging-pipe"
)


def find() -> str | None:
    """Return the browser's path, if there is one."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((path for path in map(shutil.which, names) if path), None)


class Chromium:
    """A browser with one page. ``seen`` collects what the page told: requests, messages, errors."""

    def __init__(self, profile: Path) -> None:
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        # The browser reads commands from descriptor 3 and writes answers to 4.
        pipes = f"3<&{theirs_in} 4>&{theirs_out}"
        shell = f"exec {find()} {FLAGS} --user-data-dir='{profile}' about:blank {pipes}"
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen(["bash", "-c", shell], pass_fds=(theirs_in, theirs_out), **quiet)
        os.close(theirs_in)
        os.close(theirs_out)
        self._number, self._buffer, self._session = 0, b"", None
        self.seen: list[dict] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for part in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{part}.enable")

    def call(self, method: str, **parameters: object) -> dict:
        """Send a command and return its result; events on the way are collected."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next(30.0)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(answer["error"])
                return answer["result"]
            self.seen.append(answer)

    def _next(self, patience: float) -> dict:
        """Return the next message."""
        deadline = time.monotonic() + patience
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError("the browser is silent")
            self._buffer += os.read(self._in, 1 << 20)
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def open(self, page: Path, width: int = 1000, height: int = 800, scheme: str = "light") -> None:
        """Open a file and wait until everything in it is loaded."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.seen.clear()
        self.call("Page.navigate", url=page.resolve().as_uri())
        while not any(each.get("method") == "Page.loadEventFired" for each in self.seen):
            self.seen.append(self._next(30.0))
        self.evaluate("0")

    def evaluate(self, expression: str) -> object:
        """Return the value of an expression in the page."""
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def screenshot(self, path: Path) -> None:
        """Save the whole page as a picture."""
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        path.write_bytes(base64.b64decode(data))

    @property
    def requests(self) -> list[str]:
        """Addresses that the page asked for."""
        events = [
            each["params"]["request"]["url"]
            for each in self.seen
            if each.get("method") == "Network.requestWillBeSent"
        ]
        return [url for url in events if not url.startswith("data:")]

    @property
    def console(self) -> list[dict]:
        """What the console shows: messages, warnings and errors."""
        kinds = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
        return [each["params"] for each in self.seen if each.get("method") in kinds]

    def close(self) -> None:
        """End the browser."""
        with contextlib.suppress(Exception):
            self.call("Browser.close")
        os.close(self._out)
        os.close(self._in)
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
