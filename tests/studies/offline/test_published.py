from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from anamorph.errors import UsageError
from anamorph.studies.offline.files import BadLine, RecordedLine
from anamorph.studies.offline.published import Repository, published_rows


def rows(repository: Repository, folder: Path) -> list[dict[str, Any]]:
    found = list(published_rows(repository, folder))
    assert all(isinstance(each, RecordedLine) for each in found), found
    return [dict(each.plain) for each in found if isinstance(each, RecordedLine)]


def write(file: Path, content: str | bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)


def test_a_clone_of_oamt_gives_its_reported_triples(tmp_path: Path) -> None:
    said = "('two dogs', \"a dog's bed\", 'a cat')\nhttp://images.cocodataset.org/train2017/000000000001.jpg\n\n"
    write(tmp_path / "experiments" / "rq_results" / "issues" / "blip_issues", said * 2)
    first, second = rows("oamt", tmp_path)
    assert first == {
        "id": "BLIP-1",
        "method": "oamt",
        "system": "BLIP",
        "photo": "000000000001.jpg",
        "source": "two dogs",
        "pieces": ["a dog's bed", "a cat"],
    }
    assert second["id"] == "BLIP-2"


def test_a_clone_of_testic_gives_the_pairs_of_rome_and_metaic(tmp_path: Path) -> None:
    rome = tmp_path / "ROME" / "error_detection"
    write(rome / "azure_ancestor.tsv", "1\t[{'caption': 'a bus and a car'}]\n")
    write(rome / "azure_descendant.tsv", '1\t[{"caption": "a car"}]\n')
    pair = {"removed_object_ancestor": {"car_0"}, "removed_object_descendant": {"car_0", "hot_dog_1", "bus_0"}}
    write(rome / "name_img_id_dict.pkl", pickle.dumps({1: pair}))
    metaic = tmp_path / "MetaIC" / "Report_erroneous_issues" / "azure_dir"
    write(metaic / "azure_1000_0" / "pred.test.tsv", '1\t[{"caption": "a man and a carrot"}]\n')
    write(metaic / "azure_1000_0" / "name_img_id_dict.pkl", pickle.dumps({1: {"image_id": 77, "object": "carrot"}}))
    write(metaic / "ori_azure_cap" / "pred.val.tsv", '77\t[{"caption": "a man"}]\n')
    one, other = rows("testic", tmp_path)
    assert (one["method"], one["ancestor"], one["descendant"]) == ("rome", "a bus and a car", "a car")
    assert one["removed"] == ["bus", "hot_dog"]
    assert (other["background"], other["generated"], other["inserted"]) == ("a man", "a man and a carrot", "carrot")


class Evil:
    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return Path.touch, ("run",)


def test_a_pickle_that_would_run_code_is_refused(tmp_path: Path) -> None:
    rome = tmp_path / "ROME" / "error_detection"
    write(rome / "azure_ancestor.tsv", "1\t[{'caption': 'a bus'}]\n")
    write(rome / "azure_descendant.tsv", "1\t[{'caption': 'a bus'}]\n")
    write(rome / "name_img_id_dict.pkl", pickle.dumps({1: Evil()}))
    with pytest.raises(UsageError, match="which is not plain data"):
        list(published_rows("testic", tmp_path))


def test_what_cannot_be_read_is_named_and_does_not_stop_the_rest(tmp_path: Path) -> None:
    write(tmp_path / "experiments" / "a" / "issues" / "git_issues", "('a', 'b')\n('a', 'b', 'c')\nhttp://x/y.jpg\n")
    bad, good = published_rows("oamt", tmp_path)
    assert isinstance(bad, BadLine) and "git_issues, line 1: expected three captions" in bad.problem
    assert isinstance(good, RecordedLine) and good.plain["photo"] == "y.jpg"


def test_a_folder_that_is_no_clone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has none of the files that a clone of s1by306/OAMT has"):
        list(published_rows("oamt", tmp_path))
    with pytest.raises(UsageError, match="is not a folder"):
        list(published_rows("testic", tmp_path / "nowhere"))


# Of protocol 1: a dictionary, kept under the number 2 ** 31 - 1.
GREEDY = b"}r\xff\xff\xff\x7f."


def test_a_pickle_of_a_few_bytes_takes_no_gigabytes(tmp_path: Path) -> None:
    file = tmp_path / "x.pkl"
    file.write_bytes(GREEDY)
    program = (
        "import resource\n"
        "from pathlib import Path\n"
        "from anamorph.studies.offline import published\n"
        "resource.setrlimit(resource.RLIMIT_AS, (4_000_000_000,) * 2)\n"
        f"print(published._plain_pickle(Path({str(file)!r})))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "{}\n", done.stderr


@pytest.mark.parametrize(
    "pair",
    [
        {},
        {"removed_object_ancestor": None, "removed_object_descendant": 5},
        {"removed_object_descendant": [["a"]], "removed_object_ancestor": {1: 2}},
        {"image_id": [], "object": 3},
    ],
)
def test_a_pair_that_is_not_what_it_should_be_is_a_row_without_it(tmp_path: Path, pair: dict[str, Any]) -> None:
    rome = tmp_path / "ROME" / "error_detection"
    write(rome / "azure_ancestor.tsv", "1\t[{'caption': 'a bus'}]\n")
    write(rome / "azure_descendant.tsv", '1\t[{"caption": "a car"}]\n')
    write(rome / "name_img_id_dict.pkl", pickle.dumps({1: pair}))
    metaic = tmp_path / "MetaIC" / "Report_erroneous_issues" / "azure_dir"
    write(metaic / "azure_1000_0" / "pred.test.tsv", '1\t[{"caption": "a man and a carrot"}]\n')
    write(metaic / "azure_1000_0" / "name_img_id_dict.pkl", pickle.dumps({1: pair}))
    write(metaic / "ori_azure_cap" / "pred.val.tsv", '77\t[{"caption": "a man"}]\n')
    one, other = published_rows("testic", tmp_path)
    assert isinstance(one, RecordedLine) and one.plain["removed"] == []
    assert isinstance(other, BadLine)


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_clone_with_what_is_no_file_does_not_hang(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "experiments" / "issues" / "blip_issues"
    place.parent.mkdir(parents=True)
    if kind == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to("/dev/zero")
    with pytest.raises(UsageError, match="regular file"):
        list(published_rows("oamt", tmp_path))
