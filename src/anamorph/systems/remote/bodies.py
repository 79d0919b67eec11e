"""HTTP request bodies with an image and a question."""

from __future__ import annotations

import base64
import copy
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from anamorph.errors import Refused, UsageError
from anamorph.model import Ask
from anamorph.systems.remote.pointers import NotThere, put, steps_of

# Placeholder of the image while a request is built.
IMAGE_MARK = secrets.token_hex(16)

_READ = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)

ImageForm = Literal["base64", "data-url", "multipart", "raw", "path"]


@dataclass(frozen=True, slots=True)
class Body:
    """The content of a request, its type, and its query parameters."""

    content: bytes
    content_type: str
    query: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class BodyMaker:
    """Builds request bodies; `fixed` are constant fields."""

    form: ImageForm
    image_field: str
    question_field: str
    fixed: Mapping[str, Any]

    def check(self) -> None:
        """UsageError if these settings cannot make a request."""
        for name, field in (("image_field", self.image_field), ("question_field", self.question_field)):
            if self.form == "multipart" and field.startswith("/"):
                raise UsageError(f"{name} = {field!r} must be a plain name, because image = 'multipart' has no depth.")
            if not field and name == "image_field" and self.form != "raw":
                raise UsageError(
                    f"image_field is empty: name a field for the image, which image = {self.form!r} needs."
                )
            if field and self.form not in ("multipart", "raw"):
                try:
                    put(copy.deepcopy(dict(self.fixed)), field, "")
                except NotThere:
                    raise UsageError(f"{name} = {field!r} names a place that the body does not have.") from None
        if self.question_field and self.form != "raw" and _overlap(self.image_field, self.question_field):
            raise UsageError(f"image_field and question_field are both {self.image_field!r}, or one lies in the other.")
        if self.form == "raw" and self.fixed:
            raise UsageError("body must be empty when image = 'raw', because the image itself is the body.")

    def make(self, ask: Ask) -> Body:
        """The body for one image and question."""
        question = ask.question if self.question_field else None
        if ask.textual:
            return self._text_alone(question)
        if self.form == "path":
            return self._json(json.dumps(str(_path(ask).absolute())).encode("ascii"), question)
        image = read_image(ask)
        if self.form == "raw":
            return Body(image, media_type(image), {} if question is None else {self.question_field: question})
        if self.form == "multipart":
            return self._multipart(image, question)
        text = data_url(image) if self.form == "data-url" else base64.b64encode(image)
        return self._json(b'"%b"' % text, question)

    @property
    def takes_text(self) -> bool:
        """Whether text can be sent without an image."""
        return bool(self.question_field) and self.form != "raw"

    def _text_alone(self, text: str | None) -> Body:
        if not self.takes_text:
            raise Refused("Text alone needs a question_field, and any image form but 'raw'.")
        return self._multipart(None, text) if self.form == "multipart" else self._json(None, text)

    def _json(self, image: bytes | None, question: str | None) -> Body:
        """The JSON body; `image` is the image as JSON."""
        plain = copy.deepcopy(dict(self.fixed))
        if image is not None:
            put(plain, self.image_field, IMAGE_MARK)
        if question is not None:
            put(plain, self.question_field, question)
        return json_body(plain, image)

    def _multipart(self, image: bytes | None, question: str | None) -> Body:
        fields = {name: value if isinstance(value, str) else json.dumps(value) for name, value in self.fixed.items()}
        if question is not None:
            fields[self.question_field] = question
        boundary = secrets.token_hex(16)
        parts = [_part(boundary, name, "", _utf8(value)) for name, value in fields.items()]
        if image is not None:
            kind = media_type(image)
            about = f'; filename="image.{"png" if kind == "image/png" else "jpg"}"\r\nContent-Type: {kind}'
            parts.append(_part(boundary, self.image_field, about, image))
        content = b"".join(parts) + f"--{boundary}--\r\n".encode()
        return Body(content, f"multipart/form-data; boundary={boundary}", {})


def json_body(plain: Mapping[str, Any], image: bytes | None) -> Body:
    """JSON with the placeholder, if any, replaced by `image`, which is JSON."""
    if image is None:
        return Body(json.dumps(plain).encode("ascii"), "application/json", {})
    # Inserted afterwards: base64 needs no escapes, and searching for them takes longer than the rest.
    before, after = json.dumps(plain).encode("ascii").split(json.dumps(IMAGE_MARK).encode("ascii"))
    return Body(b"".join((before, image, after)), "application/json", {})


def data_url(image: bytes) -> bytes:
    """An image as a data URL."""
    return f"data:{media_type(image)};base64,".encode("ascii") + base64.b64encode(image)


def fixed_fields(text: str, name: str) -> dict[str, Any]:
    """The JSON object in a setting of this name; empty for an empty string."""
    if not text.strip():
        return {}
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise UsageError(f"{name} is not JSON: {problem}.") from problem
    if not isinstance(fields, dict):
        raise UsageError(f'{name} must be the text of a JSON object, such as {{"model": "small"}}.')
    return fields


def _overlap(one: str, other: str) -> bool:
    pairs = zip(steps_of(one), steps_of(other), strict=False)
    return all(left == right for left, right in pairs)


def media_type(image: bytes) -> str:
    """The media type of an image (PNG or JPEG), by its first bytes."""
    return "image/png" if image.startswith(b"\x89PNG") else "image/jpeg"


def _part(boundary: str, name: str, about: str, content: bytes) -> bytes:
    # As browsers escape quotes and line ends in names.
    safe = name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="{safe}"{about}\r\n\r\n'
    return _utf8(head) + content + b"\r\n"


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise Refused(f"The string {text!r} contains a lone surrogate and cannot be sent as UTF-8.") from None


def _path(ask: Ask) -> Path:
    if ask.path is None:
        raise Refused(f"An HTTP system needs an image file, and {ask.id} has none.")
    return ask.path


def read_image(ask: Ask) -> bytes:
    """The bytes of the image file."""
    path = _path(ask)
    try:
        # By descriptor: every system call releases the GIL, and `open` makes four more.
        file = os.open(path, _READ)
        try:
            size = os.fstat(file).st_size
            content = os.read(file, size)
            while len(content) < size and (more := os.read(file, size - len(content))):
                content += more
            return content
        finally:
            os.close(file)
    except OSError as problem:
        raise Refused(f"The image {path} cannot be read: {problem.strerror}.") from problem
