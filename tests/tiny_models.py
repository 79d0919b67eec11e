"""Tiny models of the transformers library, made from configurations with random weights; nothing is downloaded."""

from __future__ import annotations

import importlib
import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

_SENTENCES = """
a the of on in and with is are how many there any no yes one two three dog cat man woman ball red green blue
image photo write caption for this short plain sentence that names what can be seen answer word number or
without question user assistant
"""
WORDS = _SENTENCES.split()
# Weights as small as usual would make a network that hardly looks at its picture before it is trained.
SPREAD = 0.6
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")

# Importing torch takes seconds, so a module only asks whether it is there.
heavy = [
    pytest.mark.heavy,
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in ("torch", "transformers")),
        reason="needs torch and transformers, which are not installed here (make heavy has them)",
    ),
    # What the libraries say about their own future, or about weights that are random, is not about our code.
    pytest.mark.filterwarnings("ignore:::transformers", "ignore:::torch"),
]


def library() -> Any:
    """The library; what is made next has the same weights every time."""
    found: Any = importlib.import_module("transformers")
    found.utils.logging.disable_progress_bar()
    found.utils.logging.set_verbosity_error()
    torch: Any = importlib.import_module("torch")
    torch.manual_seed(11)
    return found


def pil(kind: str) -> Any:
    """An image processor that needs no torchvision; version 5 calls it by another name."""
    return getattr(library(), f"{kind}Pil", None) or getattr(library(), kind)


def bert_tokenizer(folder: Path) -> Any:
    """A tokenizer of BERT's kind that knows a few words and all letters."""
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    vocabulary = [*SPECIAL, *WORDS, *(letter for letter in letters if letter not in WORDS)]
    vocabulary += [*(f"##{letter}" for letter in letters), "?", ".", ":", ","]
    file = folder / "vocab.txt"
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(vocabulary), encoding="utf-8")
    return library().BertTokenizerFast.from_pretrained(str(folder))


def _images(kind: str, side: int = 32) -> Any:
    """An image processor without torchvision, where both ways are offered."""
    size = {"height": side, "width": side}
    made = pil(f"{kind}ImageProcessor")
    return made(size=size, crop_size=size) if kind == "CLIP" else made(size=size)


def _blip_config(tokenizer: Any) -> Any:
    text = {
        "vocab_size": len(tokenizer),
        "hidden_size": 32,
        "encoder_hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "initializer_range": SPREAD,
        "max_position_embeddings": 64,
        "bos_token_id": tokenizer.cls_token_id,
        "eos_token_id": tokenizer.sep_token_id,
        "sep_token_id": tokenizer.sep_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }
    vision = {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "initializer_range": SPREAD,
        "image_size": 32,
        "patch_size": 8,
    }
    return library().BlipConfig(text_config=text, vision_config=vision, projection_dim=32)


def blip_captioner(folder: Path) -> Path:
    tokenizer = bert_tokenizer(folder)
    library().BlipForConditionalGeneration(_blip_config(tokenizer)).save_pretrained(folder)
    library().BlipProcessor(image_processor=_images("Blip"), tokenizer=tokenizer).save_pretrained(folder)
    return folder


def blip_answerer(folder: Path) -> Path:
    tokenizer = bert_tokenizer(folder)
    library().BlipForQuestionAnswering(_blip_config(tokenizer)).save_pretrained(folder)
    library().BlipProcessor(image_processor=_images("Blip"), tokenizer=tokenizer).save_pretrained(folder)
    return folder


def git_captioner(folder: Path) -> Path:
    tokenizer = bert_tokenizer(folder)
    vision = {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "initializer_range": SPREAD,
        "image_size": 32,
        "patch_size": 8,
    }
    config = library().GitConfig(
        vision_config=vision,
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        initializer_range=SPREAD,
        max_position_embeddings=128,
        bos_token_id=tokenizer.cls_token_id,
        eos_token_id=tokenizer.sep_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    library().GitForCausalLM(config).save_pretrained(folder)
    library().GitProcessor(image_processor=_images("CLIP"), tokenizer=tokenizer).save_pretrained(folder)
    return folder


def vit_gpt2_captioner(folder: Path) -> Path:
    tokenizer = bert_tokenizer(folder)
    vision = library().ViTConfig(
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        image_size=32,
        patch_size=8,
        initializer_range=SPREAD,
    )
    writer = library().GPT2Config(
        vocab_size=len(tokenizer),
        n_positions=64,
        n_embd=32,
        n_layer=2,
        n_head=2,
        initializer_range=SPREAD,
        add_cross_attention=True,
        is_decoder=True,
        bos_token_id=tokenizer.cls_token_id,
        eos_token_id=tokenizer.sep_token_id,
    )
    config = library().VisionEncoderDecoderConfig.from_encoder_decoder_configs(vision, writer)
    config.decoder_start_token_id, config.pad_token_id = tokenizer.cls_token_id, tokenizer.pad_token_id
    config.eos_token_id = tokenizer.sep_token_id
    model = library().VisionEncoderDecoderModel(config=config)
    model.generation_config.decoder_start_token_id = tokenizer.cls_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    model.save_pretrained(folder)
    _images("ViT").save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def vilt_answerer(folder: Path) -> Path:
    tokenizer = bert_tokenizer(folder)
    answers = ("yes", "no", "1", "2", "dog")
    config = library().ViltConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        initializer_range=SPREAD,
        max_position_embeddings=64,
        image_size=32,
        patch_size=8,
        max_image_length=-1,
        id2label=dict(enumerate(answers)),
        label2id={answer: number for number, answer in enumerate(answers)},
    )
    library().ViltForQuestionAnswering(config).save_pretrained(folder)
    images = pil("ViltImageProcessor")(size={"shortest_edge": 32}, size_divisor=8)
    library().ViltProcessor(image_processor=images, tokenizer=tokenizer).save_pretrained(folder)
    return folder


CHAT_TEMPLATE = (
    "{% for message in messages %}{{ message['role'] }} : {% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<image> {% else %}{{ part['text'] }}{% endif %}{% endfor %} {% endfor %}"
    "{% if add_generation_prompt %}assistant :{% endif %}"
)


def llava_chat(folder: Path, template: str | None = CHAT_TEMPLATE) -> Path:
    tokenizer = bert_tokenizer(folder)
    tokenizer.add_special_tokens({"additional_special_tokens": ["<image>"]})
    vision = library().CLIPVisionConfig(
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        image_size=32,
        patch_size=8,
        initializer_range=SPREAD,
    )
    text = library().LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        initializer_range=SPREAD,
        num_key_value_heads=2,
        max_position_embeddings=256,
        bos_token_id=tokenizer.cls_token_id,
        eos_token_id=tokenizer.sep_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    image_token = tokenizer.convert_tokens_to_ids("<image>")
    config = library().LlavaConfig(
        vision_config=vision, text_config=text, image_token_index=image_token, image_token_id=image_token
    )
    library().LlavaForConditionalGeneration(config).save_pretrained(folder)
    library().LlavaProcessor(
        image_processor=_images("CLIP"),
        tokenizer=tokenizer,
        patch_size=8,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=template,
    ).save_pretrained(folder)
    return folder


def classifier(folder: Path, labels: tuple[str, ...] = ("dog", "cat", "man"), *, several: bool = False) -> Path:
    config = library().ViTConfig(
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        initializer_range=SPREAD,
        image_size=32,
        patch_size=8,
        id2label=dict(enumerate(labels)),
        label2id={label: number for number, label in enumerate(labels)},
        problem_type="multi_label_classification" if several else None,
    )
    library().ViTForImageClassification(config).save_pretrained(folder)
    _images("ViT").save_pretrained(folder)
    return folder


def blip2_captioner(folder: Path) -> Path:
    tokenizer = bert_tokenizer(folder)
    tokenizer.add_special_tokens({"additional_special_tokens": ["<image>"]})
    small = {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "initializer_range": SPREAD,
    }
    writer = library().OPTConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        ffn_dim=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        word_embed_proj_dim=32,
        max_position_embeddings=128,
        init_std=SPREAD,
        bos_token_id=tokenizer.cls_token_id,
        eos_token_id=tokenizer.sep_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    config = library().Blip2Config(
        vision_config={**small, "image_size": 32, "patch_size": 8},
        qformer_config={**small, "encoder_hidden_size": 32, "cross_attention_frequency": 1, "vocab_size": 99},
        text_config=writer.to_dict(),
        num_query_tokens=4,
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        initializer_range=SPREAD,
    )
    library().Blip2ForConditionalGeneration(config).save_pretrained(folder)
    library().Blip2Processor(image_processor=_images("Blip"), tokenizer=tokenizer, num_query_tokens=4).save_pretrained(
        folder
    )
    return folder


def rewritten(folder: Path, file: str, **changes: Any) -> None:
    """Change keys of a JSON file of a model."""
    path = folder / file
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **changes}), encoding="utf-8")


Maker = Callable[[Path], Path]
