"""Every entry that can be chosen, and its module."""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from anamorph.errors import UnknownName, UsageError
from anamorph.model.protocols import EXTENSION_POINTS
from anamorph.python_files import load_module

T = TypeVar("T")

# One line per name, imported only when chosen. Other packages add names with entry points in the groups
# "anamorph.methods", "anamorph.systems" and so on.
CATALOG: dict[str, dict[str, str]] = {
    "methods": {
        "atom": "anamorph.methods.atom.method:Atom",
        "crosscheck": "anamorph.methods.crosscheck.method:Crosscheck",
        "deeptest": "anamorph.methods.deeptest:DeepTest",
        "metaic": "anamorph.methods.metaic.method:MetaIC",
        "metavqa": "anamorph.methods.metavqa.method:MetaVqa",
        "oamt": "anamorph.methods.oamt.method:Oamt",
        "reic": "anamorph.methods.reic.method:Reic",
        "rome": "anamorph.methods.rome.method:Rome",
        "spolre": "anamorph.methods.spolre.method:Spolre",
    },
    "systems": {
        "anthropic": "anamorph.systems.anthropic:AnthropicSystem",
        "azure-vision": "anamorph.systems.azure_vision:AzureVisionSystem",
        "bedrock": "anamorph.systems.bedrock:BedrockSystem",
        "callable": "anamorph.systems.callable:CallableSystem",
        "command": "anamorph.systems.command.system:CommandSystem",
        "detector-caption": "anamorph.systems.detector_caption:DetectorCaptionSystem",
        "detector-vqa": "anamorph.systems.detector_vqa:DetectorVqaSystem",
        "faulty": "anamorph.toybox.faults.system:FaultySystem",
        "gemini": "anamorph.systems.gemini:GeminiSystem",
        "google-vision": "anamorph.systems.google_vision:GoogleVisionSystem",
        "http": "anamorph.systems.http.system:HttpSystem",
        "inspect": "anamorph.systems.inspect.system:InspectSystem",
        "litellm": "anamorph.systems.litellm:LiteLlmSystem",
        "openai": "anamorph.systems.openai:OpenAISystem",
        "onnx": "anamorph.systems.onnx:OnnxSystem",
        "recorded": "anamorph.systems.recorded.system:RecordedSystem",
        "rekognition": "anamorph.systems.rekognition:RekognitionSystem",
        "toybox": "anamorph.toybox.systems:ToyboxSystem",
        "transformers": "anamorph.systems.transformers.system:TransformersSystem",
    },
    "scenes": {
        "coco": "anamorph.scenes.coco.source:CocoScenes",
        "collection": "anamorph.scenes.collection.source:CollectionScenes",
        "fiftyone": "anamorph.scenes.fiftyone:FiftyOneScenes",
        "folder": "anamorph.scenes.folder:FolderScenes",
        "labelme": "anamorph.scenes.labelme:LabelMeScenes",
        "parquet": "anamorph.scenes.parquet.source:ParquetScenes",
        "scene-graph": "anamorph.scenes.scene_graph:SceneGraphScenes",
        "toybox": "anamorph.toybox.scenes:ToyboxScenes",
        "voc": "anamorph.scenes.voc:VocScenes",
        "webdataset": "anamorph.scenes.webdataset:WebDatasetScenes",
    },
    "searchers": {
        "google": "anamorph.searchers.google:GoogleSearcher",
        "local": "anamorph.searchers.local.searcher:LocalSearcher",
        "openverse": "anamorph.searchers.openverse:OpenverseSearcher",
        "serpapi": "anamorph.searchers.serpapi:SerpApiSearcher",
        "wikimedia": "anamorph.searchers.wikimedia:WikimediaSearcher",
    },
    "edits": {
        "blank": "anamorph.edits.blank:Blank",
        "blur": "anamorph.edits.blur:Blur",
        "brightness": "anamorph.edits.brightness:Brightness",
        "collage": "anamorph.edits.collage:Collage",
        "contrast": "anamorph.edits.contrast:Contrast",
        "crop": "anamorph.edits.crop:Crop",
        "insert": "anamorph.edits.insert:Insert",
        "melt": "anamorph.edits.melt:Melt",
        "mirror": "anamorph.edits.mirror:Mirror",
        "pad": "anamorph.edits.pad:Pad",
        "patch": "anamorph.edits.patch:Patch",
        "reencode": "anamorph.edits.reencode:Reencode",
        "relayout": "anamorph.edits.relayout:Relayout",
        "repaint": "anamorph.edits.repaint:Repaint",
        "rotate": "anamorph.edits.rotate:Rotate",
        "saturation": "anamorph.edits.saturation:Saturation",
        "scale": "anamorph.edits.scale:Scale",
        "sharpness": "anamorph.edits.sharpness:Sharpness",
        "shear": "anamorph.edits.shear:Shear",
        "stretch": "anamorph.edits.stretch:Stretch",
    },
    "inpainters": {
        "exemplar": "anamorph.inpainters.exemplar:Exemplar",
        "lama": "anamorph.inpainters.lama:LaMa",
        "membrane": "anamorph.inpainters.membrane:Membrane",
        "migan": "anamorph.inpainters.migan:MiGan",
        "patch": "anamorph.inpainters.patch:FlatPatch",
        "telea": "anamorph.inpainters.telea:Telea",
    },
    "painters": {
        "controlnet": "anamorph.painters.controlnet.painter:ControlNet",
    },
    "segmenters": {
        "onnx": "anamorph.segmenters.onnx:OnnxSegmenter",
        "torchvision": "anamorph.segmenters.torchvision:TorchvisionSegmenter",
        "transformers": "anamorph.segmenters.transformers.segmenter:TransformersSegmenter",
    },
    "relations": {
        "blank-shows-none": "anamorph.relations.blank_shows_none:BlankShowsNone",
        "collage-adds-up": "anamorph.relations.collage_adds_up:CollageAddsUp",
        "crop-keeps-inside": "anamorph.relations.crop_keeps_inside:CropKeepsInside",
        "crop-shows-no-more": "anamorph.relations.crop_shows_no_more:CropShowsNoMore",
        "four-cells-agree": "anamorph.relations.four_cells_agree:FourCellsAgree",
        "keeps-all": "anamorph.relations.keeps_all:KeepsAll",
        "mirror-swaps-sides": "anamorph.relations.mirror_swaps_sides:MirrorSwapsSides",
        "negation-differs": "anamorph.relations.negation_differs:NegationDiffers",
        "nested-views": "anamorph.relations.nested_views:NestedViews",
        "number-fits-existence": "anamorph.relations.number_fits_existence:NumberFitsExistence",
        "objects-add-up": "anamorph.relations.objects_add_up:ObjectsAddUp",
        "only-gains": "anamorph.relations.only_gains:OnlyGains",
        "only-loses": "anamorph.relations.only_loses:OnlyLoses",
        "opposites-differ": "anamorph.relations.opposites_differ:OppositesDiffer",
        "options-in-any-order": "anamorph.relations.options_in_any_order:OptionsInAnyOrder",
        "order-does-not-matter": "anamorph.relations.order_does_not_matter:OrderDoesNotMatter",
        "parts-tell-whole": "anamorph.relations.parts_tell_whole:PartsTellWhole",
        "pieces-add-up": "anamorph.relations.pieces_add_up:PiecesAddUp",
        "pieces-cover-whole": "anamorph.relations.pieces_cover_whole:PiecesCoverWhole",
        "properties-add-up": "anamorph.relations.properties_add_up:PropertiesAddUp",
        "released-keeps-all": "anamorph.methods.spolre.released:ReleasedKeepsAll",
        "released-only-gains": "anamorph.methods.metaic.released:ReleasedOnlyGains",
        "released-only-loses": "anamorph.methods.rome.released:ReleasedOnlyLoses",
        "released-rerun-only-gains": "anamorph.methods.metaic.released:RerunOnlyGains",
        "removal-measured": "anamorph.relations.removal_measured:RemovalMeasured",
        "removal-takes-one": "anamorph.relations.removal_takes_one:RemovalTakesOne",
        "same-answer": "anamorph.relations.same_answer:SameAnswer",
        "same-number": "anamorph.relations.same_number:SameNumber",
        "same-objects": "anamorph.relations.same_objects:SameObjects",
        "stable-labels": "anamorph.relations.stable_labels:StableLabels",
        "sum-in-any-order": "anamorph.relations.sum_in_any_order:SumInAnyOrder",
        "triples-recur": "anamorph.methods.oamt.published:TriplesRecur",
        "unaffected-by-insertion": "anamorph.relations.unaffected_by_insertion:UnaffectedByInsertion",
        "unaffected-by-removal": "anamorph.relations.unaffected_by_removal:UnaffectedByRemoval",
    },
    "readers": {
        "closed": "anamorph.readers.closed:ClosedReader",
        "english": "anamorph.readers.english.reader:EnglishReader",
        "llm": "anamorph.readers.llm.reader:LlmReader",
        "released-metaic": "anamorph.methods.metaic.released:ReleasedReader",
        "released-metaic-rerun": "anamorph.methods.metaic.released:RerunReader",
        "released-rome": "anamorph.methods.rome.released:ReleasedReader",
    },
}

# Every extension point has one verb, which identifies the group of a class in a user's file.
VERBS = {group: verb for group, (_, verb, _) in EXTENSION_POINTS.items()}

_SINGULAR = {"scenes": "scene source"}

# The user's classes, by group and kind; filled by `load_file` and `register`.
_loaded: dict[str, dict[str, type]] = {}
# Those that come from no file.
_registered: set[tuple[str, str]] = set()


def singular(group: str) -> str:
    """The word for one entry of a group."""
    return _SINGULAR.get(group, group.removesuffix("s"))


@functools.cache
def _entry_points(group: str) -> dict[str, importlib.metadata.EntryPoint]:
    return {point.name: point for point in importlib.metadata.entry_points(group=f"anamorph.{group}")}


def names(group: str) -> list[str]:
    """Every name of a group, sorted: ours, other packages' and the user's."""
    return sorted({*CATALOG[group], *_entry_points(group), *_loaded.get(group, {})})


def origin(group: str, name: str) -> str:
    """Where a name comes from, in words for people."""
    if name in _loaded.get(group, {}):
        module = _loaded[group][name].__module__
        return str(getattr(sys.modules.get(module), "__file__", None) or module)
    if name in CATALOG[group]:
        return "anamorph"
    point = _entry_points(group)[name]
    return f"{point.dist.name} {point.dist.version}" if point.dist else point.value


def find(group: str, name: str) -> type[Any]:
    """The class behind a name; UnknownName, with a suggestion, if there is none."""
    if name in _loaded.get(group, {}):
        return _loaded[group][name]
    if name in CATALOG[group]:
        module, _, attribute = CATALOG[group][name].partition(":")
        found: type[Any] = getattr(importlib.import_module(module), attribute)
        return found
    if name in _entry_points(group):
        return _checked_plugin(group, name)
    raise UnknownName(singular(group), name, names(group))


def load_file(path: Path) -> list[tuple[str, str]]:
    """Register every extension that a Python file defines; returns their (group, kind) pairs."""
    module = load_module(path)
    taken = [(group, _add(group, cls, f"{path}: ")) for group, cls in _extensions(module)]
    if not taken:
        raise UsageError(f"{path}: no extension found. Define a class with {_what_an_extension_has()}.")
    return taken


def register(extension: type[T]) -> type[T]:
    """Register a class by its `kind` in this process; also a decorator. The last one of a kind counts."""
    group = group_of(extension)
    if group is None:
        raise UsageError(f"{extension!r} is not an extension. It needs {_what_an_extension_has()}.")
    _registered.add((group, _add(group, extension)))
    return extension


def group_of(extension: object) -> str | None:
    """The group of a class, by its verb; None if it is not an extension."""
    if not isinstance(extension, type) or not isinstance(getattr(extension, "kind", None), str):
        return None
    return next((group for group, verb in VERBS.items() if callable(getattr(extension, verb, None))), None)


def is_registered(group: str, kind: str) -> bool:
    """Whether a kind was registered by this process, not by a file or a package."""
    return (group, kind) in _registered and kind in _loaded.get(group, {})


def is_from_program(group: str, kind: str, files: Collection[Path]) -> bool:
    """Whether a kind is known in this process alone, from no package and none of these files (resolved paths)."""
    if kind not in _loaded.get(group, {}):
        return False
    return is_registered(group, kind) or Path(origin(group, kind)).resolve() not in files


def is_known(group: str, extension: type) -> bool:
    """Whether its kind names this very class."""
    kind = getattr(extension, "kind", None)
    return isinstance(kind, str) and kind in names(group) and find(group, kind) is extension


def _add(group: str, cls: type[Any], where: str = "") -> str:
    kind: str = cls.kind
    if kind in CATALOG[group]:
        raise UsageError(f"{where}{kind!r} is the name of Anamorph's own {singular(group)}. Rename yours.")
    _loaded.setdefault(group, {})[kind] = cls
    _registered.discard((group, kind))
    return kind


def _what_an_extension_has() -> str:
    return f"a `kind` and one of the verbs {', '.join(f'{verb} ({singular(group)})' for group, verb in VERBS.items())}"


def _extensions(module: ModuleType) -> Iterator[tuple[str, type[Any]]]:
    for value in vars(module).values():
        if isinstance(value, type) and value.__module__ == module.__name__ and (group := group_of(value)) is not None:
            yield group, value


def _checked_plugin(group: str, name: str) -> type[Any]:
    point = _entry_points(group)[name]
    try:
        found = point.load()
    except Exception as problem:
        raise UsageError(
            f"The {singular(group)} {name!r} from {origin(group, name)} cannot be loaded: "
            f"{type(problem).__name__}: {problem}"
        ) from problem
    if getattr(found, "kind", None) != name or not callable(getattr(found, VERBS[group], None)):
        raise UsageError(
            f"The {singular(group)} {name!r} from {origin(group, name)} needs "
            f"`kind = {name!r}` and a verb `{VERBS[group]}`."
        )
    plugin: type[Any] = found
    return plugin
