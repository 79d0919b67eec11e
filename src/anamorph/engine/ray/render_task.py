"""Making images in a worker of a Ray cluster; this file knows nothing of Ray."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import anamorph
from anamorph.concurrency.calm import calm_libraries
from anamorph.engine.ray.freight import Freight, moved_to
from anamorph.engine.render.maker import ImageOrder, MadeImage, sentence
from anamorph.engine.render.recipe import RenderRecipe, RenderWorker, go_to
from anamorph.model import Pixels, Scene
from anamorph.store.images import name_of


@dataclass(frozen=True, slots=True)
class RenderOrder:
    """A recipe, pickled: a worker that has it at work by its digest need not read it again."""

    digest: str
    recipe: bytes = field(repr=False)
    freight: Freight
    suffix: str = ".jpg"
    version: str = anamorph.__version__


@dataclass(frozen=True, slots=True)
class NamedImage:
    """An image that was made, by the name of its content, or why there is none."""

    image: int
    name: str | None
    problem: str | None
    discarded: bool


@dataclass(frozen=True, slots=True)
class MadeParcel:
    """Some images of a scene, and the content of each by its name."""

    images: tuple[NamedImage, ...]
    contents: Mapping[str, bytes]


# The pixels of a photo, or what gives them.
Photo: TypeAlias = Pixels | Callable[[], Pixels]

_lock = threading.Lock()
_at_work: dict[str, RenderWorker] = {}


def render_images(
    order: RenderOrder, scene: Scene, photo: Photo, orders: Sequence[ImageOrder], parcel_size: int
) -> MadeParcel | tuple[MadeParcel, ...]:
    """Make images of one scene from its photo, at most `parcel_size` in a parcel."""
    worker = _worker(order)
    images, contents, parcels = [], {}, []
    for number, made in enumerate(_made(worker, scene, photo, orders), 1):
        name = None
        if made.content is not None:
            name = name_of(made.content, order.suffix)
            contents[name] = made.content
        images.append(NamedImage(made.image, name, made.problem, made.discarded))
        if number % parcel_size == 0 or number == len(orders):
            parcels.append(MadeParcel(tuple(images), contents))
            images, contents = [], {}
    return parcels[0] if len(parcels) == 1 else tuple(parcels)


def _made(worker: RenderWorker, scene: Scene, photo: Photo, orders: Sequence[ImageOrder]) -> Iterator[MadeImage]:
    try:
        pixels = photo() if callable(photo) else photo
    except Exception as problem:  # noqa: BLE001  a source may come from a user's own file
        reason = sentence(problem)
        return (MadeImage(order.image, None, reason) for order in orders)
    return worker.make(scene, pixels, orders)


def check_recipe(order: RenderOrder) -> str:
    """Why images cannot be made here; nothing where they can."""
    if order.version != anamorph.__version__:
        return f"Anamorph is {anamorph.__version__}, and {order.version} where the run is driven. Install the same."
    try:
        _worker(order)
    except Exception as problem:  # noqa: BLE001  a recipe may load a user's own file
        return sentence(problem)
    return ""


def _here(recipe: RenderRecipe, freight: Freight) -> RenderRecipe:
    """The recipe with the places of its files on this node."""
    # Where the files of a run are may depend on its directory.
    go_to(recipe.directory)
    moved = freight.unload()
    return replace(
        recipe,
        plain=moved_to(recipe.plain, moved),
        pools=moved_to(recipe.pools, moved),
        loaded=moved_to(recipe.loaded, moved),
    )


def _worker(order: RenderOrder) -> RenderWorker:
    """The maker of images by a recipe; that of an earlier run in this process is closed."""
    with _lock:
        worker = _at_work.get(order.digest)
        if worker is None:
            # There is a process for each core already.
            calm_libraries()
            while _at_work:
                _at_work.popitem()[1].close()
            worker = _at_work[order.digest] = RenderWorker(_here(pickle.loads(order.recipe), order.freight))
        return worker
