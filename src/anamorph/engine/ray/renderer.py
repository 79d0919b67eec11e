"""Images made by workers of a Ray cluster: a scene's images together, its photo by reference."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Generator, Iterable, Iterator
from typing import Any

from anamorph.config import RaySettings
from anamorph.engine.ray.cluster import Cluster, said_by
from anamorph.engine.ray.freight import deliver, freight_of
from anamorph.engine.ray.render_task import MadeParcel, RenderOrder, check_recipe, render_images
from anamorph.engine.render.maker import ImageOrder, MadeImage
from anamorph.engine.render.recipe import RenderRecipe
from anamorph.engine.render.renderer import ImageResult, failed, kept
from anamorph.errors import RunError
from anamorph.model import Scene, SceneSource, digest_of_bytes
from anamorph.model.protocols import SceneSourceOptions
from anamorph.store.images import ImageFolder

# Images that one object of the cluster holds, and one message refers to.
PARCEL_SIZE = 16
# Images of a scene that one worker makes, so that several share a scene with very many.
MOST_TOGETHER = 64
# A worker that dies is tried again on another this often; then images are made one by one, to find the one that kills.
_RETRIES = 3
_THREADS_PER_CPU = 2
_START_SECONDS = 300.0


class RayRenderer:
    """Makes the images of scenes on a cluster and keeps them here; safe to use from several threads.

    Photos are read here, so workers need no access to them, and decoded there where they can be. What is made stays
    where it was made as well, and the system's copies take it from there.
    """

    def __init__(
        self, cluster: Cluster, source: SceneSource, folder: ImageFolder, recipe: RenderRecipe, suffix: str
    ) -> None:
        """Have every node check that it can make the run's images; RunError where one cannot."""
        self._cluster, self._source, self._folder, self._suffix = cluster, source, folder, suffix
        self._pack = SceneSourceOptions.packed.of(source)
        packed = pickle.dumps(recipe)
        freight = freight_of(recipe.plain, [recipe.tools, recipe.segmenter, recipe.recogniser], recipe.pools)
        deliver(cluster, freight)
        self._order = RenderOrder(digest_of_bytes(packed), packed, freight, suffix)
        self._task = cluster.ray.remote(render_images)
        self._check_nodes()

    def threads(self, settings: RaySettings) -> int:
        """How many scenes may be in hand at once."""
        return settings.render_workers or max(2, int(_THREADS_PER_CPU * self._cluster.resource("CPU")))

    def render_each(self, scene: Scene, orders: Iterable[ImageOrder]) -> Generator[ImageResult, None, None]:
        """Make images of one scene, at most MOST_TOGETHER by one worker; further orders are taken after that."""
        try:
            photo = self._source.pixels(scene) if self._pack is None else self._pack(scene)
        except Exception as problem:  # noqa: BLE001  a source may come from a user's own file
            yield from failed(orders, problem)
            return
        remaining = iter(orders)
        while some := list(itertools.islice(remaining, MOST_TOGETHER)):
            left = {order.image: order for order in some}
            try:
                for result in self._made(scene, photo, some):
                    del left[result.image]
                    yield result
            except Exception as problem:  # noqa: BLE001  an error in Ray must not leave images behind unawaited
                yield from failed(left.values(), problem)

    def close(self) -> None:
        """Leave the cluster."""
        self._cluster.close()

    def _made(self, scene: Scene, photo: Any, orders: list[ImageOrder]) -> Iterator[ImageResult]:
        ray, errors = self._cluster.ray, self._cluster.ray.exceptions
        done = 0
        try:
            count = -(-len(orders) // PARCEL_SIZE)
            task = self._task.options(num_cpus=1, max_retries=_RETRIES, num_returns=count)
            parcels = task.remote(self._order, scene, photo, orders, PARCEL_SIZE)
            for parcel in [parcels] if count == 1 else parcels:
                made: MadeParcel = ray.get(parcel)
                yield from self._kept(parcel, made)
                done += len(made.images)
            return
        except errors.RayTaskError as problem:
            reason = f"A Ray worker cannot make images: {said_by(problem)}"
        except errors.RayError as problem:
            reason = f"The Ray worker that made it died {_RETRIES + 1} times: {said_by(problem)}"
        left = orders[done:]
        if len(left) == 1:
            yield ImageResult(left[0].image, None, reason)
            return
        for order in left:
            yield from self._made(scene, photo, [order])

    def _kept(self, parcel: Any, made: MadeParcel) -> Iterator[ImageResult]:
        names = []
        for image in made.images:
            content = None if image.name is None else made.contents[image.name]
            result = kept(MadeImage(image.image, content, image.problem, image.discarded), self._folder, self._suffix)
            if result.usable_file is not None:
                names.append(result.usable_file)
            yield result
        if names:
            self._cluster.images.add(parcel, tuple(names), sum(map(len, made.contents.values())))

    def _check_nodes(self) -> None:
        ray, errors = self._cluster.ray, self._cluster.ray.exceptions
        check = ray.remote(check_recipe)
        asked = {
            check.options(num_cpus=0, scheduling_strategy=self._cluster.only_on(node)).remote(self._order): node
            for node in self._cluster.nodes()
        }
        if not asked or self._cluster.resource("CPU") < 1:
            raise RunError("The Ray cluster has no CPU that images could be made with.")
        for check_under_way, node in asked.items():
            try:
                problem = ray.get(check_under_way, timeout=_START_SECONDS)
            except errors.RayError as lost:
                # A node that died meanwhile makes no images; the others do.
                if len(asked) > 1:
                    continue
                raise RunError(f"The Ray node {node} does not answer: {said_by(lost)}") from lost
            if problem:
                raise RunError(f"On the Ray node {node}: {problem}")
