"""What one call of a chat model costs in CPU: our adapter beside inspect_ai and LiteLLM, where they are installed.

All send the same photo and question to the same local server, and read the same reply.
"""

from __future__ import annotations

import importlib.util
import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from multiprocessing import Process, Queue
from pathlib import Path

from anamorph import catalog
from anamorph.config import part_from_text
from anamorph.model import Ask, Pixels, System, decode
from anamorph.photos.decoding import read_pixels
from benchmarks.photographs import make_photos

CALLS = 100
ROUNDS = 3
SYSTEMS = {
    "openai": ("anamorph", "openai:toy,base_url={url}"),
    "anthropic": ("anamorph", "anthropic:toy,base_url={url}"),
    "gemini": ("anamorph", "gemini:toy,base_url={url}"),
    "inspect": ("inspect_ai", "inspect:openai-api/local/toy,base_url={url}"),
    "litellm": ("litellm", "litellm:openai/toy,base_url={url}"),
}


class _Replying(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        choice = {"index": 0, "message": {"role": "assistant", "content": "two"}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 800, "completion_tokens": 1, "total_tokens": 801}
        reply = {"id": "1", "object": "chat.completion", "created": 1, "model": "toy"}
        said: dict[str, object] = {**reply, "choices": [choice], "usage": usage}
        if self.path.endswith("/messages"):
            tokens = {"input_tokens": 800, "output_tokens": 1}
            said = {"content": [{"type": "text", "text": "two"}], "stop_reason": "end_turn", "usage": tokens}
        elif "generateContent" in self.path:
            parts = {"content": {"parts": [{"text": "two"}]}, "finishReason": "STOP"}
            said = {"candidates": [parts], "usageMetadata": {"promptTokenCount": 800, "candidatesTokenCount": 1}}
        content = json.dumps(said).encode()
        self.send_response_only(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        pass


def _serve(ports: Queue[int]) -> None:
    from http.server import ThreadingHTTPServer

    server: HTTPServer = ThreadingHTTPServer(("127.0.0.1", 0), _Replying)
    ports.put(server.server_port)
    server.serve_forever()


@contextmanager
def replying() -> Iterator[str]:
    """The address of a server in a process of its own, so that its work is not counted."""
    ports: Queue[int] = Queue()
    process = Process(target=_serve, args=(ports,), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{ports.get()}"
    finally:
        process.terminate()
        process.join()


def main() -> None:
    os.environ |= dict.fromkeys(("OPENAI_API_KEY", "LOCAL_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"), "none")
    with tempfile.TemporaryDirectory(prefix="anamorph-bench-") as name, replying() as url:
        make_photos(Path(name), 1)
        [photo] = Path(name).iterdir()

        def load() -> Pixels:
            return read_pixels(photo)

        ask = Ask("0" * 32, "How many dogs are in the image?", photo, load)
        made: dict[str, System] = {}
        for kind, (library, text) in SYSTEMS.items():
            if importlib.util.find_spec(library) is not None:
                table = part_from_text("system", text.format(url=url))
                made[kind] = decode(catalog.find("systems", kind), table, catalog.find)
        best = dict.fromkeys(made, float("inf"))
        for system in made.values():
            system.ask([ask], 60)
        for _ in range(ROUNDS):
            for kind, system in made.items():
                began = time.process_time()
                for _ in range(CALLS):
                    system.ask([ask], 60)
                best[kind] = min(best[kind], (time.process_time() - began) / CALLS)
        print(f"one call of {photo.stat().st_size // 1000} KB")
        for kind, seconds in best.items():
            print(f"  {kind:<8} {seconds * 1e3:6.2f} ms of CPU, {seconds / best['openai']:.1f} x openai's")
        for system in made.values():
            system.close()


if __name__ == "__main__":
    main()
