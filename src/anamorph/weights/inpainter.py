"""Which inpainter makes up what was behind objects, where none is named."""

from __future__ import annotations

from anamorph.model import Scene
from anamorph.weights.files import is_here
from anamorph.weights.known import KNOWN

# Networks whose weights may be here, the preferred one first; what needs no weights; what suits flat colours.
NETWORKS = ("migan", "lama")
WITHOUT_WEIGHTS, FOR_DRAWINGS = "exemplar", "membrane"
HELP = (
    "The inpainter that makes up what was behind the objects. By default migan or lama if their weights are here "
    "or the run names them, else exemplar; on drawn scenes membrane."
)


def inpainter_for(named: str | None, scene: Scene) -> str:
    """The inpainter that edits of a scene name, so that a stored plan always says which one it was."""
    if named is not None:
        return named
    return FOR_DRAWINGS if scene.is_drawn else best_inpainter()


def best_inpainter() -> str:
    """The best inpainter for photos that works on this machine."""
    return next((name for name in NETWORKS if is_here(KNOWN[name])), WITHOUT_WEIGHTS)
