from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from anamorph.errors import UsageError
from anamorph.studies.diversity.embedding import open_embedder
from tests.detectors.tiny_networks import picture, write_flattening, write_network


def test_a_vector_has_length_one_and_tells_pictures_apart(tmp_path: Path) -> None:
    embedder = open_embedder(write_flattening(tmp_path / "flat.onnx"), "unit")
    one, other = picture(40, 30), picture(30, 40)
    vectors = [embedder.embed(each) for each in (one, one, other)]
    assert all(np.linalg.norm(vector) == pytest.approx(1, abs=1e-5) for vector in vectors)
    assert np.array_equal(vectors[0], vectors[1]) and not np.allclose(vectors[0], vectors[2], atol=1e-2)


def test_probabilities_are_compared_by_their_roots(tmp_path: Path) -> None:
    shares = np.full(32, 0.5 / 31)
    shares[3] = 0.5
    network = write_network(tmp_path / "shares.onnx", (1, 3, 8, 8), {"out": shares[None]})
    assert open_embedder(network).embed(picture(9, 9)) == pytest.approx(np.sqrt(shares), abs=1e-5)


def test_a_map_of_features_is_averaged(tmp_path: Path) -> None:
    features = np.arange(32 * 4, dtype=np.float32).reshape(1, 32, 2, 2)
    network = write_network(tmp_path / "map.onnx", (1, 3, 8, 8), {"out": features})
    means = features[0].mean(axis=(1, 2))
    assert open_embedder(network).embed(picture(9, 9)) == pytest.approx(means / np.linalg.norm(means), abs=1e-5)


def test_a_network_without_a_vector_is_refused(tmp_path: Path) -> None:
    network = write_network(tmp_path / "boxes.onnx", (1, 3, 8, 8), {"out": np.zeros((1, 5, 6))})
    with pytest.raises(UsageError, match=r"it gives out .* expected one vector"):
        open_embedder(network)
