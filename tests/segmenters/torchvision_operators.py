"""Runs the torchvision segmenter in a process of its own, and prints what it finds as JSON.

The registry's torchvision is compiled for PyTorch with CUDA, and beside the CPU build its library of compiled operators
does not load. Where that is so, the two operators that Mask R-CNN needs are written here in plain PyTorch; everything
else that runs is torchvision's own.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

torch: Any = importlib.import_module("torch")


def nms(boxes: Any, scores: Any, iou_threshold: float) -> Any:
    low, high = torch.maximum(boxes[:, None, :2], boxes[:, :2]), torch.minimum(boxes[:, None, 2:], boxes[:, 2:])
    common = (high - low).clamp(0).prod(-1)
    areas = (boxes[:, 2:] - boxes[:, :2]).prod(-1)
    close = (common / (areas[:, None] + areas - common) > iou_threshold).numpy()
    kept: list[int] = []
    for each in scores.argsort(descending=True, stable=True).tolist():
        if not close[each, kept].any():
            kept.append(each)
    return torch.tensor(kept, dtype=torch.int64)


def roi_align(
    features: Any, rois: Any, scale: float, height: int, width: int, sampling_ratio: int, aligned: bool
) -> Any:
    made = features.new_zeros((len(rois), features.shape[1], height, width))
    shift = 0.5 if aligned else 0.0
    for number, (image, left, top, right, bottom) in enumerate(rois.tolist()):
        ys = torch.linspace(0, 1, 2 * height + 1)[1::2] * (bottom - top) * scale + top * scale - shift
        xs = torch.linspace(0, 1, 2 * width + 1)[1::2] * (right - left) * scale + left * scale - shift
        rows = ys / max(features.shape[2] - 1, 1) * 2 - 1
        columns = xs / max(features.shape[3] - 1, 1) * 2 - 1
        grid = torch.stack(torch.meshgrid(rows, columns, indexing="ij")[::-1], dim=-1)[None]
        sampled = torch.nn.functional.grid_sample(
            features[int(image)][None], grid, align_corners=True, padding_mode="border"
        )
        made[number] = sampled[0]
    return made


def stand_in() -> None:
    """Define the operators before torchvision asks for them, unless its own can be loaded."""
    package = importlib.util.find_spec("torchvision")
    assert package is not None and package.origin is not None
    try:
        torch.ops.load_library(str(Path(package.origin).parent / "_C.so"))
    except (OSError, RuntimeError):
        library = torch.library.Library("torchvision", "DEF")
        library.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        library.define("qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        library.define(
            "roi_align(Tensor input, Tensor rois, float spatial_scale, int pooled_height, int pooled_width, "
            "int sampling_ratio, bool aligned) -> Tensor"
        )
        library.impl("nms", nms, "CPU")
        library.impl("roi_align", roi_align, "CPU")
        globals()["_kept_alive"] = library


def main() -> None:
    folder = Path(sys.argv[1])
    stand_in()
    vision: Any = importlib.import_module("torchvision")
    vision.extension._assert_has_ops = lambda: None
    for name in ("boxes", "roi_align"):
        importlib.import_module(f"torchvision.ops.{name}")._assert_has_ops = lambda: None  # type: ignore[attr-defined]
    # A full-size network on one core takes minutes; the same one with small pictures and few proposals, a second.
    small = {"min_size": 64, "max_size": 96, "rpn_pre_nms_top_n_test": 50, "rpn_post_nms_top_n_test": 20}
    vision.models.get_model = functools.partial(vision.models.get_model, **small)
    from anamorph.model import encode
    from anamorph.segmenters.torchvision import TorchvisionSegmenter

    torch.manual_seed(3)
    names = ["__background__", "dog", "cat"]
    (folder / "classes.txt").write_text("\n".join(names))
    found: dict[str, Any] = {}
    pixels = np.random.default_rng(0).integers(0, 256, (60, 80, 3), dtype=np.uint8)
    for model in ("maskrcnn_resnet50_fpn_v2", "fasterrcnn_mobilenet_v3_large_320_fpn"):
        network = vision.models.get_model(model, weights=None, weights_backbone=None, num_classes=3)
        torch.save(network.state_dict(), folder / f"{model}.pth")
        segmenter = TorchvisionSegmenter(
            model,
            path=str(folder / f"{model}.pth"),
            classes=str(folder / "classes.txt"),
            threshold=0.0,
            min_area=0.0,
            mask_threshold=0.1,
            most=5,
        )
        things = segmenter.segment(pixels)
        assert things == segmenter.segment(pixels)
        found[model] = {"things": [encode(thing) for thing in things], "fingerprint": dict(segmenter.fingerprint)}
    found["published"] = dict(TorchvisionSegmenter().fingerprint)
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
