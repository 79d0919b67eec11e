"""Folders of Stable Diffusion 1.5 and a ControlNet 1.1 as they are published: files, keys and names of weights.

Tiny networks stand in for the published ones; what is theirs is the layout of stable-diffusion-v1-5 (written by
diffusers 0.6) and of control_v11p_sd15_seg (by 0.16), which lack the keys and have the names of their time.
"""

from __future__ import annotations

import importlib
import json
import shutil
from pathlib import Path
from typing import Any, Literal

# The keys of the published files; the values are those of the network.
UNET_KEYS = """act_fn attention_head_dim block_out_channels center_input_sample cross_attention_dim down_block_types
downsample_padding flip_sin_to_cos freq_shift in_channels layers_per_block mid_block_scale_factor norm_eps
norm_num_groups out_channels sample_size up_block_types"""
VAE_KEYS = """act_fn block_out_channels down_block_types in_channels latent_channels layers_per_block norm_num_groups
out_channels sample_size up_block_types"""
CONTROLNET: dict[str, Any] = {
    "_class_name": "ControlNetModel",
    "_diffusers_version": "0.16.0.dev0",
    "_name_or_path": "/home/patrick/controlnet_v1_1/control_v11p_sd15_seg",
    "act_fn": "silu",
    "attention_head_dim": 8,
    "block_out_channels": [320, 640, 1280, 1280],
    "class_embed_type": None,
    "conditioning_embedding_out_channels": [16, 32, 96, 256],
    "controlnet_conditioning_channel_order": "rgb",
    "cross_attention_dim": 768,
    "down_block_types": ["CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"],
    "downsample_padding": 1,
    "flip_sin_to_cos": True,
    "freq_shift": 0,
    "in_channels": 4,
    "layers_per_block": 2,
    "mid_block_scale_factor": 1,
    "norm_eps": 1e-05,
    "norm_num_groups": 32,
    "num_class_embeds": None,
    "only_cross_attention": False,
    "projection_class_embeddings_input_dim": None,
    "resnet_time_scale_shift": "default",
    "upcast_attention": False,
    "use_linear_projection": False,
}
SCHEDULER: dict[str, Any] = {
    "_class_name": "PNDMScheduler",
    "_diffusers_version": "0.6.0",
    "beta_end": 0.012,
    "beta_schedule": "scaled_linear",
    "beta_start": 0.00085,
    "num_train_timesteps": 1000,
    "set_alpha_to_one": False,
    "skip_prk_steps": True,
    "steps_offset": 1,
    "trained_betas": None,
    "clip_sample": False,
}
INDEX: dict[str, Any] = {
    "_class_name": "StableDiffusionPipeline",
    "_diffusers_version": "0.6.0",
    "feature_extractor": ["transformers", "CLIPImageProcessor"],
    "safety_checker": ["stable_diffusion", "StableDiffusionSafetyChecker"],
    "scheduler": ["diffusers", "PNDMScheduler"],
    "text_encoder": ["transformers", "CLIPTextModel"],
    "tokenizer": ["transformers", "CLIPTokenizer"],
    "unet": ["diffusers", "UNet2DConditionModel"],
    "vae": ["diffusers", "AutoencoderKL"],
}
_OLD_ATTENTION = {"to_q": "query", "to_k": "key", "to_v": "value", "to_out.0": "proj_attn"}
Form = Literal["safetensors", "bin"]


def with_published_scheduler(pipeline: Path, folder: Path) -> Path:
    """The same pipeline, written as today, with the published scheduler."""
    shutil.copytree(pipeline, folder)
    _write(folder / "scheduler" / "scheduler_config.json", SCHEDULER)
    index = json.loads((folder / "model_index.json").read_text())
    _write(folder / "model_index.json", {**index, "scheduler": INDEX["scheduler"]})
    return folder


def as_published(pipeline: Path, controlnet: Path, folder: Path, form: Form) -> tuple[Path, Path]:
    """The folders of the pipeline and of its ControlNet in the published layout."""
    made = folder / "stable-diffusion-v1-5"
    _write(made / "model_index.json", INDEX)
    _write(made / "scheduler" / "scheduler_config.json", SCHEDULER)
    _write(made / "feature_extractor" / "preprocessor_config.json", {"feature_extractor_type": "CLIPFeatureExtractor"})
    _write(made / "safety_checker" / "config.json", {"architectures": ["StableDiffusionSafetyChecker"]})
    (made / "tokenizer").mkdir()
    for name in ("vocab.json", "merges.txt"):
        shutil.copy(pipeline.parent / "tokenizer" / name, made / "tokenizer")
    ends = {"bos_token": "<|startoftext|>", "eos_token": "<|endoftext|>", "unk_token": "<|endoftext|>"}
    _write(made / "tokenizer" / "special_tokens_map.json", {**ends, "pad_token": "<|endoftext|>"})
    settings = {"do_lower_case": True, "errors": "replace", "model_max_length": 16, "pad_token": "<|endoftext|>"}
    _write(made / "tokenizer" / "tokenizer_config.json", {**settings, "tokenizer_class": "CLIPTokenizer"})
    for name, keys in (("unet", UNET_KEYS), ("vae", VAE_KEYS)):
        settings = json.loads((pipeline / name / "config.json").read_text())
        named = {"_class_name": settings["_class_name"], "_diffusers_version": "0.6.0"}
        _write(made / name / "config.json", {**named, **{key: settings[key] for key in keys.split()}})
        weights = _weights(pipeline / name / "diffusion_pytorch_model.safetensors")
        _save({_old(key, name): value for key, value in weights.items()}, made / name / "diffusion_pytorch_model", form)
    settings = json.loads((pipeline / "text_encoder" / "config.json").read_text())
    settings = {key: value for key, value in settings.items() if key not in ("dtype", "transformers_version")}
    text = {**settings, "torch_dtype": "float32", "transformers_version": "4.22.0.dev0"}
    _write(made / "text_encoder" / "config.json", text)
    weights = {
        _text_name(key): value for key, value in _weights(pipeline / "text_encoder" / "model.safetensors").items()
    }
    torch: Any = importlib.import_module("torch")
    # Later versions of the library compute it, and no longer store it.
    weights["text_model.embeddings.position_ids"] = torch.arange(16)[None]
    _save(weights, made / "text_encoder" / ("model" if form == "safetensors" else "pytorch_model"), form)
    led = folder / "control_v11p_sd15_seg"
    settings = json.loads((controlnet / "config.json").read_text())
    _write(
        led / "config.json",
        {**CONTROLNET, **{key: settings[key] for key in CONTROLNET if key in settings and key[0] != "_"}},
    )
    weights = _weights(controlnet / "diffusion_pytorch_model.safetensors")
    _save(weights, led / "diffusion_pytorch_model", form)
    # Smaller numbers lie beside them, under another name; nobody asked for these.
    nothing = {key: torch.zeros_like(value, dtype=torch.float16) for key, value in weights.items()}
    _save(nothing, led / "diffusion_pytorch_model.fp16", form)
    return made, led


def _old(key: str, network: str) -> str:
    """The name that a weight had: diffusers 0.6 had other ones in the attention of an autoencoder."""
    if network == "vae" and ".attentions." in key:
        for now, then in _OLD_ATTENTION.items():
            key = key.replace(f".{now}.", f".{then}.")
    return key


def _text_name(key: str) -> str:
    return key if key.startswith("text_model.") else f"text_model.{key}"


def _weights(file: Path) -> dict[str, Any]:
    read: dict[str, Any] = importlib.import_module("safetensors.torch").load_file(file)
    return read


def _save(weights: dict[str, Any], file: Path, form: Form) -> None:
    if form == "bin":
        importlib.import_module("torch").save(weights, f"{file}.bin")
    else:
        importlib.import_module("safetensors.torch").save_file(weights, f"{file}.safetensors", {"format": "pt"})


def _write(file: Path, content: dict[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content, indent=2))
