"""What one call over HTTP costs: the whole adapter beside a bare call with http.client and with pycurl.

All three read the same photo from disk, post it on a connection that is kept, and parse the JSON that comes back.
"""

from __future__ import annotations

import http.client
import json
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import pycurl

from anamorph.model import Ask, Pixels
from anamorph.photos.decoding import read_pixels
from anamorph.systems.http.system import HttpSystem
from benchmarks.photographs import make_photos
from benchmarks.slow_server import slow_server

CALLS = 1000
ROUNDS = 5


def cpu_seconds(calls: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """CPU seconds of each call, in the best of several rounds that take turns."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(ROUNDS):
        for name, call in calls.items():
            began = time.process_time()
            for _ in range(CALLS):
                call()
            best[name] = min(best[name], (time.process_time() - began) / CALLS)
    return best


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="anamorph-bench-") as name, slow_server(0) as url:
        make_photos(Path(name), 1)
        [photo] = Path(name).iterdir()
        curl, connection = pycurl.Curl(), http.client.HTTPConnection(urlsplit(url).netloc)
        headers = {"content-type": "image/jpeg"}

        def by_pycurl() -> object:
            pieces: list[bytes] = []
            curl.setopt(pycurl.URL, url)
            curl.setopt(pycurl.HTTPHEADER, ["content-type: image/jpeg", "expect:"])
            curl.setopt(pycurl.POSTFIELDS, photo.read_bytes())
            curl.setopt(pycurl.WRITEFUNCTION, pieces.append)
            curl.perform()
            return json.loads(b"".join(pieces))

        def by_http_client() -> object:
            connection.request("POST", "/caption", photo.read_bytes(), headers)
            return json.loads(connection.getresponse().read())

        def load() -> Pixels:
            return read_pixels(photo)

        system = HttpSystem(url, image="raw")
        ask = Ask("0", None, photo, load)
        calls = {"http.client": by_http_client, "pycurl": by_pycurl, "our adapter": lambda: system.ask([ask], 60)}
        best = cpu_seconds(calls)
        print(f"one call of {photo.stat().st_size // 1000} KB")
        for way, seconds in best.items():
            print(f"  {way:<12} {seconds * 1e3:6.3f} ms of CPU, {seconds / best['our adapter']:.1f} x our adapter's")
        system.close()
        connection.close()
        curl.close()


if __name__ == "__main__":
    main()
