"""How networks take a picture and return what they found: one file for each family of layouts, and one line here."""

from __future__ import annotations

from typing import ClassVar, Protocol

from anamorph.detectors.detection import Candidates
from anamorph.detectors.fitting import Values
from anamorph.detectors.layouts.classifier import ClassifierLayout
from anamorph.detectors.layouts.detr import Detr
from anamorph.detectors.layouts.ssd import Ssd, SsdRows
from anamorph.detectors.layouts.yolo import Yolo, YoloRows
from anamorph.detectors.layouts.yolox import YoloX
from anamorph.detectors.networks.network import Network, Port
from anamorph.errors import UnknownName, UsageError
from anamorph.model import Pixels


class NetworkLayout(Protocol):
    """How to feed a network and to read it; `form` describes its shapes, `values` is its usual range of levels."""

    locates: ClassVar[bool]

    @property
    def form(self) -> str: ...

    @property
    def values(self) -> Values: ...

    def suits(self, picture: Port, network: Network, classes: int | None) -> bool:
        """Whether a network has this layout, judging by its shapes; `classes` is how many names are known."""

    def classes(self, network: Network) -> int | None:
        """How many classes the network distinguishes; None if its shapes do not say."""

    def look(self, network: Network, picture: Port, pixels: Pixels, values: Values) -> Candidates:
        """Everything that the network finds."""


# The first that fits is taken, so the most specific ones come first.
LAYOUTS: dict[str, NetworkLayout] = {
    "yolo-rows": YoloRows(),
    "yolox": YoloX(),
    "yolox-decoded": YoloX(decoded=True),
    "yolo": Yolo(objectness=False),
    "yolov5": Yolo(objectness=True),
    "detr": Detr(probability="softmax"),
    "deformable-detr": Detr(probability="sigmoid"),
    "rt-detr": Detr(probability="sigmoid", values="unit"),
    "ssd": Ssd(),
    "ssd-rows": SsdRows(),
    "classifier": ClassifierLayout(),
    "classifier-softmax": ClassifierLayout(softmax=True),
}


def layout_of(network: Network, picture: Port, name: str | None, classes: int | None) -> str:
    """The name of a network's layout: `name` if it is given, else the first that fits."""
    if name is not None:
        if name not in LAYOUTS:
            raise UnknownName("layout", name, LAYOUTS)
        return name
    for known, layout in LAYOUTS.items():
        if layout.suits(picture, network, classes):
            return known
    inputs, outputs = ("; ".join(map(str, ports)) for ports in (network.inputs, network.outputs))
    forms = "; ".join(f"{known} ({layout.form})" for known, layout in LAYOUTS.items())
    raise UsageError(
        f"{network.file}: its layout is unknown. Inputs: {inputs}. Outputs: {outputs}. "
        f"Choose a layout, or use a network with one of these: {forms}."
    )
