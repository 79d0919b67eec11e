"""Photos with the scene graphs of GQA or Visual Genome: fine classes, attributes, boxes and relations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar

from anamorph.errors import BadPicture, UsageError
from anamorph.model import Scene, Skip, Thing, setting
from anamorph.photos.decoding import PHOTO_SUFFIXES, megabytes_setting, megapixels_setting
from anamorph.photos.entries import Flaw, agree_on_size, brief, class_names, identity, number, required, table, words
from anamorph.photos.files import read_document, shown
from anamorph.photos.outlines import Size, box_within
from anamorph.photos.scene_limits import check_object_count
from anamorph.scenes.photo_folders.opening import PhotoFolder, existing_photo_folder, index_setting, photo_names
from anamorph.scenes.photo_folders.source import FolderSource
from anamorph.scenes.questions.joining import answers_setting, questions_setting

# GQA derives these from the boxes for almost every pair of objects.
_FROM_BOXES = ("to the left of", "to the right of")
# One spelling per color, as in questions.
_SPELLINGS = {"gray": "grey"}
_MOST_ATTRIBUTES = 100
_MOST_CHARACTERS = 200

_Graph = Mapping[str, Any]
_Node = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SceneGraphScenes(FolderSource):
    """The photos of a scene graph file of GQA or Visual Genome, with fine classes, attributes and relations."""

    kind: ClassVar[str] = "scene-graph"
    graphs: str = setting(help="The JSON file: GQA's sceneGraphs, or Visual Genome's scene_graphs or attributes.")
    images: str = setting(help="The folder, or the address, of photos named by their ids; subfolders are searched.")
    index: str | None = index_setting()
    questions: str | None = questions_setting()
    answers: str | None = answers_setting()
    most_megapixels: int = megapixels_setting()
    most_megabytes: int = megabytes_setting()

    @property
    def _photos(self) -> str:
        return self.images

    def _scan(self) -> Iterator[Scene | Skip]:
        folder = existing_photo_folder(self.images, "photos")
        document = read_document(Path(self.graphs))
        found, skips = photo_names(folder, self.index, PHOTO_SUFFIXES, recursive=True)
        yield from skips
        photos: dict[str, list[str]] = {}
        for name in found:
            photos.setdefault(PurePosixPath(name).stem, []).append(name)
        seen: set[str] = set()

        def with_photo(each: tuple[str, str | None, Any]) -> Iterator[tuple[str, Any, _GraphPhoto | Exception]]:
            place, id_, graph = each
            try:
                yield place, graph, self._photo(folder, photos, id_, graph)
            except (Flaw, BadPicture) as problem:
                yield place, graph, problem

        for place, graph, photo in folder.each(with_photo, _graphs(document, self.graphs)):
            what = f"{self.graphs}: {place}"
            try:
                if isinstance(photo, Exception):
                    raise photo
                id_, picture, size = photo.id, photo.picture, photo.size
                if id_ in seen:
                    raise Flaw(f"Another scene graph before it is about the same photo {shown(id_)}.")
                nodes = _nodes(graph)
                check_object_count(len(nodes))
            except (Flaw, BadPicture) as problem:
                yield Skip(shown(what), str(problem))
                continue
            seen.add(id_)
            things: list[Thing] = []
            for item in _things(graph, nodes, size, what):
                if isinstance(item, Skip):
                    yield item
                else:
                    things.append(item)
            yield Scene(id_, picture, *size, tuple(things), labels=class_names(things))

    def _photo(self, folder: PhotoFolder, photos: Mapping[str, list[str]], id_: str | None, graph: Any) -> _GraphPhoto:
        id_ = identity(table(graph, "A scene graph"), "image_id") if id_ is None else words(id_, "image id")
        picture = _picture(id_, photos.get(id_, []))
        size = folder.size(picture, self._limits)
        agree_on_size(size, (graph.get("width"), graph.get("height")), picture)
        return _GraphPhoto(id_, picture, size)


@dataclass(frozen=True, slots=True)
class _GraphPhoto:
    """The photo of a scene graph."""

    id: str
    picture: str
    size: Size


def _graphs(document: Any, path: str) -> Iterator[tuple[str, str | None, Any]]:
    """Each graph with the name of its place and, if that is its key, the id of its photo."""
    if isinstance(document, list):
        yield from ((f"[{position}]", None, graph) for position, graph in enumerate(document))
    elif isinstance(document, dict) and all(isinstance(graph, dict) for graph in document.values()):
        yield from ((f"photo {key}", key, graph) for key, graph in document.items())
    else:
        raise UsageError(
            f"{shown(path)} is not a file of scene graphs: it is {brief(document)}. It should have graphs by the "
            "ids of their photos (GQA) or a list of graphs (Visual Genome)."
        )


def _picture(id_: str, names: list[str]) -> str:
    if not names:
        raise Flaw(f"Photo {shown(id_)} ({shown(id_)}.jpg, for example) is not in the folder of photos.")
    if len(names) > 1:
        raise Flaw(f"Several photos have the name {shown(id_)}: {shown(names[0])} and {shown(names[1])}.")
    return names[0]


def _nodes(graph: _Graph) -> dict[str, Any]:
    """The objects of a graph by id, in the order of the file; anything without an id is a flaw."""
    # Visual Genome's attributes.json calls its objects so.
    listed = graph.get("objects", graph.get("attributes"))
    if isinstance(listed, dict):
        return dict(listed)
    if not isinstance(listed, list):
        raise Flaw(f"'objects' should be objects by id or a list of them, not {brief(listed)}.")
    nodes: dict[str, Any] = {}
    for position, node in enumerate(listed):
        try:
            id_ = identity(table(node, "An object"), "object_id")
            if id_ in nodes:
                raise Flaw(f"Another object of the same photo has the same id {shown(id_)}.")
            nodes[id_] = node
        except Flaw as flaw:
            nodes[f"at place {position}"] = flaw
    return nodes


def _things(graph: _Graph, nodes: Mapping[str, Any], size: Size, what: str) -> Iterator[Thing | Skip]:
    names: dict[str, str] = {}
    for id_, node in nodes.items():
        try:
            names[id_] = _name(id_, node)
        except Flaw as flaw:
            yield Skip(shown(f"{what}, object {id_}"), str(flaw))
    relations = _relations(graph, nodes, names)
    for id_, name in names.items():
        node = nodes[id_]
        try:
            x, y, width, height = (number(required(node, key), key) for key in ("x", "y", "w", "h"))
            box = box_within(x, y, width, height, size)
            attributes = dict.fromkeys((*_attributes(node), *relations.get(id_, ())))
        except Flaw as flaw:
            yield Skip(shown(f"{what}, object {id_}"), str(flaw))
            continue
        yield Thing(id_, name, box, attributes=tuple(attributes)[:_MOST_ATTRIBUTES])


def _name(id_: str, node: Any) -> str:
    if isinstance(node, Flaw):
        raise node
    entry = table(node, "An object")
    words(id_, "object id")
    names = entry.get("names")
    return _short(names[0] if isinstance(names, list) and names else required(entry, "name"), "name")


def _attributes(node: _Node) -> Iterator[str]:
    listed = node.get("attributes") or []
    if not isinstance(listed, list):
        raise Flaw(f"'attributes' should be a list of strings, not {brief(listed)}.")
    for word in listed:
        attribute = _short(word, "attributes").lower()
        yield _SPELLINGS.get(attribute, attribute)


def _relations(graph: _Graph, nodes: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, list[str]]:
    """The relations of each object, such as "riding horse"; damaged ones are left out."""
    found: dict[str, list[str]] = {}
    for subject, predicate, other in (*_own_relations(nodes), *_listed_relations(graph)):
        if subject in names and other in names and isinstance(predicate, str) and predicate not in _FROM_BOXES:
            try:
                text = f"{_short(predicate, 'predicate').lower()} {names[other]}"
            except Flaw:
                continue
            found.setdefault(subject, []).append(text)
    return found


def _own_relations(nodes: Mapping[str, Any]) -> Iterator[tuple[str, Any, str]]:
    """GQA: each object lists its relations to others."""
    for id_, node in nodes.items():
        listed = node.get("relations") if isinstance(node, dict) else None
        for relation in listed if isinstance(listed, list) else ():
            if isinstance(relation, dict):
                yield id_, relation.get("name"), str(relation.get("object"))


def _listed_relations(graph: _Graph) -> Iterator[tuple[str, Any, str]]:
    """Visual Genome: a list for the whole photo, whose ends are ids or objects with ids."""
    listed = graph.get("relationships")
    for relation in listed if isinstance(listed, list) else ():
        if isinstance(relation, dict):
            yield _end(relation, "subject"), relation.get("predicate"), _end(relation, "object")


def _end(relation: Mapping[str, Any], role: str) -> str:
    end = relation.get(role)
    return str(end.get("object_id") if isinstance(end, dict) else relation.get(f"{role}_id"))


def _short(value: Any, what: str) -> str:
    text = words(value, what)
    if len(text) > _MOST_CHARACTERS:
        raise Flaw(f"{what!r} has {len(text):,} characters, more than the limit of {_MOST_CHARACTERS}.")
    return text
