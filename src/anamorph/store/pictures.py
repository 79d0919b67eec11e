"""The images of a run for people: studies, sheets, maps and exports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from anamorph.store.run import RunStore

_OF_ISSUES = """
    SELECT p.image, group_concat(DISTINCT lower(substr(hex(c.digest), 1, 12))) AS issues,
        group_concat(DISTINCT v.grade) AS grades
    FROM verdicts v JOIN cases c ON c.id = v."case", json_each(c.probes) AS each JOIN probes p ON p.id = each.value
    WHERE v.outcome = 'violated' AND each.key > 0 GROUP BY p.image
"""
# Images made only for proofs are not the plan's.
_PLANNED = "EXISTS (SELECT 1 FROM probes p WHERE p.image = i.id AND p.round = 0)"
# A photo is its own follow-up if only the question changes.
_FOLLOW_UPS = """
    SELECT p.image FROM cases c, json_each(c.probes) AS each JOIN probes p ON p.id = each.value WHERE each.key > 0
"""


class KeptImage(NamedTuple):
    """An image whose file is kept: its scene by name, and its digest."""

    scene: str
    digest: str
    file: str


class MadeImageRow(NamedTuple):
    """A made image: its edits as JSON, its scene, and the first method that uses it."""

    digest: str
    file: str
    edits: str
    scene: str
    method: str


class DiscardedImage(NamedTuple):
    """An image that a check discarded, its edits as JSON, and its scene as JSON with the file of its photo."""

    id: int
    edits: str
    file: str | None
    problem: str
    scene: str
    photo: str | None


@dataclass(frozen=True, slots=True)
class FollowUpImage:
    """A kept follow-up, with its scene as JSON, and its issues, by the surest grade."""

    id: int
    digest: str
    file: str
    edits: str
    scene: str
    issues: tuple[str, ...]
    grades: frozenset[str]


def kept_photos(store: RunStore) -> Iterator[KeptImage]:
    """The unedited photos."""
    rows = store.connection.execute(
        """SELECT s.name, lower(hex(i.digest)), i.file FROM images i JOIN scenes s ON s.id = i.scene
        WHERE i.edits = '[]' AND i.file IS NOT NULL ORDER BY i.id"""
    )
    return map(KeptImage._make, rows)


def photo_digests(store: RunStore) -> dict[str, str]:
    """The scene of every unedited photo, by the image's digest."""
    query = "SELECT lower(hex(i.digest)), s.name FROM images i JOIN scenes s ON s.id = i.scene WHERE i.edits = '[]'"
    return dict(store.rows(query))


def kept_follow_ups(store: RunStore) -> Iterator[tuple[str, KeptImage]]:
    """Every follow-up with the method that planned it, in the order of the plan."""
    rows = store.connection.execute(
        """
        SELECT DISTINCT c.method, s.name, lower(hex(i.digest)), i.file
        FROM cases c, json_each(c.probes) AS each JOIN probes p ON p.id = each.value
        JOIN images i ON i.id = p.image JOIN scenes s ON s.id = i.scene
        WHERE each.key > 0 AND i.edits <> '[]' AND i.file IS NOT NULL AND NOT i.discarded ORDER BY c.id, i.id
        """
    )
    return ((method, KeptImage(*image)) for method, *image in rows)


def captioned_issues(store: RunStore) -> Iterator[tuple[KeptImage, str, str]]:
    """Every captioned follow-up of an issue, with the caption and the method."""
    rows = store.connection.execute(
        """
        SELECT DISTINCT s.name, lower(hex(i.digest)), i.file, a.text, c.method
        FROM verdicts v JOIN cases c ON c.id = v."case", json_each(c.probes) AS each JOIN probes p ON p.id = each.value
        JOIN images i ON i.id = p.image JOIN scenes s ON s.id = i.scene
        JOIN answers a ON a.probe = p.id AND a.attempt = 0
        WHERE v.outcome = 'violated' AND each.key > 0 AND i.edits <> '[]' AND i.file IS NOT NULL AND NOT i.discarded
            AND p.question IS NULL AND a.text IS NOT NULL ORDER BY c.id, i.id
        """
    )
    return ((KeptImage(scene, digest, file), text, method) for scene, digest, file, text, method in rows)


def made_images(store: RunStore) -> list[MadeImageRow]:
    """Images of cases, each with the method of the first case."""
    rows = store.rows(
        """
        SELECT lower(hex(i.digest)), i.file, i.edits, s.name, c.method, min(c.id)
        FROM cases c, json_each(c.probes) AS each JOIN probes p ON p.id = each.value
        JOIN images i ON i.id = p.image JOIN scenes s ON s.id = i.scene
        WHERE i.file IS NOT NULL AND NOT i.discarded GROUP BY i.id ORDER BY i.id
        """
    )
    return [MadeImageRow(*row[:5]) for row in rows]


def discarded_pictures(store: RunStore) -> Iterator[DiscardedImage]:
    """The images that a check discarded."""
    rows = store.connection.execute(
        """SELECT i.id, i.edits, i.file, i.problem, s.body,
            (SELECT o.file FROM images o WHERE o.scene = i.scene AND o.edits = '[]')
        FROM images i JOIN scenes s ON s.id = i.scene WHERE i.discarded ORDER BY i.id"""
    )
    return map(DiscardedImage._make, rows)


def follow_up_images(store: RunStore, *, only_issues: bool, photos: bool = False) -> Iterator[FollowUpImage]:
    """The kept follow-ups, or only those in issues; with `photos`, their sources as well."""
    keep = "JOIN" if only_issues else "LEFT JOIN"
    of_issues = _OF_ISSUES.replace("AND each.key > 0", "") if photos else _OF_ISSUES
    asked = f"i.edits = '[]' AND {_PLANNED}" if photos else "FALSE"
    rows = store.connection.execute(
        f"""
        SELECT i.id, lower(hex(i.digest)), i.file, i.edits, s.body, o.issues, o.grades
        FROM images i JOIN scenes s ON s.id = i.scene {keep} ({of_issues}) o ON o.image = i.id
        WHERE (i.edits <> '[]' AND {_PLANNED} OR i.id IN ({_FOLLOW_UPS}) OR {asked}) AND i.file IS NOT NULL
        AND NOT i.discarded ORDER BY i.id
        """
    )
    for id, digest, file, edits, body, issues, grades in rows:
        several = tuple(sorted(issues.split(","))) if issues else ()
        yield FollowUpImage(id, digest, file, edits, body, several, frozenset((grades or "").split(",")))


def texts_about(store: RunStore, image: int) -> list[tuple[str | None, str]]:
    """The plan's questions about an image, each with its first text answer."""
    return store.rows(
        """SELECT p.question, a.text FROM probes p JOIN answers a ON a.probe = p.id
        WHERE p.image = ? AND p.round = 0 AND a.attempt = 0 AND a.text IS NOT NULL ORDER BY p.id""",
        image,
    )


def unmade_images(store: RunStore) -> int:
    """The number of images without a file."""
    return store.count("images", "file IS NULL")
