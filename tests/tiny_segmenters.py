"""Tiny segmenters and detectors of the transformers library, made from configurations with random weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.tiny_models import SPREAD, bert_tokenizer, library, pil

LABELS = ("dog", "cat", "man")
_NAMES: dict[str, Any] = {
    "id2label": dict(enumerate(LABELS)),
    "label2id": {label: number for number, label in enumerate(LABELS)},
}


def _resnet(*stages: str) -> Any:
    return library().ResNetConfig(
        embedding_size=8,
        hidden_sizes=[8, 16, 24, 32],
        depths=[1, 1, 1, 1],
        layer_type="basic",
        out_features=list(stages),
    )


def _swin(*stages: str) -> Any:
    return library().SwinConfig(
        image_size=64,
        embed_dim=8,
        depths=[1, 1, 1, 1],
        num_heads=[1, 1, 1, 1],
        window_size=2,
        out_features=list(stages),
    )


def _detr(kind: str, folder: Path) -> Path:
    config = library().DetrConfig(
        use_timm_backbone=False,
        use_pretrained_backbone=False,
        backbone=None,
        backbone_config=_resnet("stage1", "stage2", "stage3", "stage4"),
        d_model=32,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=8,
        decoder_attention_heads=8,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        num_queries=6,
        init_std=SPREAD,
        **_NAMES,
    )
    getattr(library(), kind)(config).save_pretrained(folder)
    pil("DetrImageProcessor")(size={"shortest_edge": 64, "longest_edge": 96}).save_pretrained(folder)
    return folder


def detr_detector(folder: Path) -> Path:
    return _detr("DetrForObjectDetection", folder)


def detr_segmenter(folder: Path) -> Path:
    return _detr("DetrForSegmentation", folder)


def mask2former(folder: Path) -> Path:
    config = library().Mask2FormerConfig(
        backbone_config=_swin("stage1", "stage2", "stage3", "stage4"),
        feature_size=32,
        mask_feature_size=32,
        hidden_dim=32,
        encoder_feedforward_dim=32,
        dim_feedforward=32,
        encoder_layers=1,
        decoder_layers=2,
        num_attention_heads=2,
        num_queries=6,
        init_std=SPREAD,
        init_xavier_std=3.0,
        **_NAMES,
    )
    library().Mask2FormerForUniversalSegmentation(config).save_pretrained(folder)
    size = {"height": 64, "width": 64}
    pil("Mask2FormerImageProcessor")(size=size, num_labels=3).save_pretrained(folder)
    return folder


def maskformer(folder: Path) -> Path:
    decoder = library().DetrConfig(
        use_timm_backbone=False,
        backbone_config=_resnet("stage4"),
        d_model=32,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        num_queries=6,
        init_std=SPREAD,
    )
    config = library().MaskFormerConfig(
        backbone_config=_swin("stage1", "stage2", "stage3", "stage4"),
        decoder_config=decoder,
        fpn_feature_size=32,
        mask_feature_size=32,
        init_std=SPREAD,
        init_xavier_std=3.0,
        **_NAMES,
    )
    library().MaskFormerForInstanceSegmentation(config).save_pretrained(folder)
    size = {"height": 64, "width": 64}
    pil("MaskFormerImageProcessor")(size=size, num_labels=3).save_pretrained(folder)
    return folder


def eomt(folder: Path) -> Path:
    config = library().EomtConfig(
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        mlp_ratio=2,
        image_size=64,
        patch_size=8,
        num_blocks=1,
        num_upscale_blocks=1,
        num_register_tokens=1,
        num_queries=6,
        initializer_range=SPREAD,
        **_NAMES,
    )
    library().EomtForUniversalSegmentation(config).save_pretrained(folder)
    size = {"shortest_edge": 64, "longest_edge": 64}
    pil("EomtImageProcessor")(size=size, do_pad=True, num_labels=3).save_pretrained(folder)
    return folder


def oneformer(folder: Path) -> Path:
    """Its processor has a list of the classes, in which the cat is ground."""
    tokenizer = clip_tokenizer(folder)
    config = library().OneFormerConfig(
        backbone_config=_swin("stage1", "stage2", "stage3", "stage4"),
        conv_dim=32,
        mask_dim=32,
        hidden_dim=32,
        encoder_feedforward_dim=32,
        dim_feedforward=32,
        encoder_layers=1,
        decoder_layers=2,
        query_dec_layers=1,
        num_attention_heads=2,
        num_queries=6,
        task_seq_len=16,
        text_encoder_width=32,
        text_encoder_context_length=16,
        text_encoder_num_layers=1,
        text_encoder_vocab_size=len(tokenizer),
        text_encoder_n_ctx=4,
        init_std=SPREAD,
        init_xavier_std=3.0,
        **_NAMES,
    )
    library().OneFormerForUniversalSegmentation(config).save_pretrained(folder)
    classes = {str(number): {"name": label, "isthing": label != "cat"} for number, label in enumerate(LABELS)}
    (folder / "classes.json").write_text(json.dumps(classes))
    images = pil("OneFormerImageProcessor")(
        size={"height": 64, "width": 64},
        num_labels=3,
        num_text=2,
        repo_path=str(folder),
        class_info_file="classes.json",
    )
    library().OneFormerProcessor(
        image_processor=images, tokenizer=tokenizer, max_seq_length=16, task_seq_length=16
    ).save_pretrained(folder)
    return folder


def owlvit(folder: Path) -> Path:
    tokenizer = clip_tokenizer(folder)
    tower = {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "initializer_range": SPREAD,
    }
    config = library().OwlViTConfig(
        text_config={**tower, "vocab_size": len(tokenizer), "max_position_embeddings": 16},
        vision_config={**tower, "image_size": 32, "patch_size": 8},
        projection_dim=32,
    )
    library().OwlViTForObjectDetection(config).save_pretrained(folder)
    size = {"height": 32, "width": 32}
    images = pil("OwlViTImageProcessor")(size=size, do_center_crop=False)
    library().OwlViTProcessor(image_processor=images, tokenizer=tokenizer).save_pretrained(folder)
    return folder


def clip_tokenizer(folder: Path) -> Any:
    """CLIP's byte-level tokenizer with letters for its only pieces."""
    folder.mkdir(parents=True, exist_ok=True)
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    pieces = [*letters, *(f"{letter}</w>" for letter in letters), "<|startoftext|>", "<|endoftext|>"]
    (folder / "vocab.json").write_text(json.dumps({piece: number for number, piece in enumerate(pieces)}))
    (folder / "merges.txt").write_text("#version: 0.2\n")
    return library().CLIPTokenizerFast.from_pretrained(str(folder), pad_token="<|endoftext|>", model_max_length=16)


def grounding_dino(folder: Path) -> Path:
    tokenizer = bert_tokenizer(folder)
    text = library().BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=64,
        initializer_range=SPREAD,
    )
    config = library().GroundingDinoConfig(
        backbone_config=_swin("stage2", "stage3", "stage4"),
        text_config=text,
        use_timm_backbone=False,
        d_model=32,
        encoder_layers=1,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        num_queries=6,
        max_text_len=32,
        num_feature_levels=4,
        init_std=SPREAD,
    )
    library().GroundingDinoForObjectDetection(config).save_pretrained(folder)
    images = pil("GroundingDinoImageProcessor")(size={"shortest_edge": 64, "longest_edge": 96})
    library().GroundingDinoProcessor(image_processor=images, tokenizer=tokenizer).save_pretrained(folder)
    return folder
