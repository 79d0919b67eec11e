"""A tiny Stable Diffusion with a ControlNet, made from configurations with random weights."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from tests.tiny_models import library
from tests.tiny_segmenters import clip_tokenizer


def stable_diffusion(folder: Path) -> tuple[Path, Path]:
    """The folders of the pipeline and of its ControlNet."""
    diffusers: Any = importlib.import_module("diffusers")
    diffusers.utils.logging.disable_progress_bar()
    tokenizer = clip_tokenizer(folder / "tokenizer")
    text = library().CLIPTextModel(
        library().CLIPTextConfig(
            vocab_size=len(tokenizer),
            hidden_size=32,
            intermediate_size=37,
            num_attention_heads=2,
            num_hidden_layers=2,
            max_position_embeddings=tokenizer.model_max_length,
        )
    )
    levels: dict[str, Any] = {
        "block_out_channels": (4, 8),
        "layers_per_block": 1,
        "in_channels": 4,
        "cross_attention_dim": 32,
        "attention_head_dim": 2,
        "norm_num_groups": 2,
        "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D"),
    }
    unet = diffusers.UNet2DConditionModel(
        **levels, out_channels=4, sample_size=8, up_block_types=("CrossAttnUpBlock2D", "UpBlock2D")
    )
    controlnet = diffusers.ControlNetModel(**levels, conditioning_embedding_out_channels=(4, 8))
    # A ControlNet begins with zeros where it meets the network that it leads, so an untrained one leads nowhere.
    torch: Any = importlib.import_module("torch")
    for name, weights in controlnet.named_parameters():
        if "controlnet" in name:
            torch.nn.init.normal_(weights, std=0.5)
    vae = diffusers.AutoencoderKL(
        block_out_channels=(4, 8),
        in_channels=3,
        out_channels=3,
        norm_num_groups=2,
        down_block_types=("DownEncoderBlock2D", "DownEncoderBlock2D"),
        up_block_types=("UpDecoderBlock2D", "UpDecoderBlock2D"),
        latent_channels=4,
    )
    pipeline = diffusers.StableDiffusionControlNetPipeline(
        vae=vae,
        text_encoder=text,
        tokenizer=tokenizer,
        unet=unet,
        controlnet=controlnet,
        scheduler=diffusers.DDIMScheduler(),
        safety_checker=None,
        feature_extractor=None,
        requires_safety_checker=False,
    )
    pipeline.save_pretrained(folder / "pipeline")
    controlnet.save_pretrained(folder / "controlnet")
    return folder / "pipeline", folder / "controlnet"
