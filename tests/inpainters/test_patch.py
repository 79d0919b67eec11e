from __future__ import annotations

from anamorph.inpainters.patch import FlatPatch
from tests.inpainters.holes import holes, keeps_its_promises, photo


def test_every_hole_is_filled_and_nothing_else() -> None:
    keeps_its_promises(FlatPatch())


def test_the_hole_has_the_colour_even_where_it_is_all() -> None:
    for name in ("inside", "all"):
        hole = holes()[name]
        assert (FlatPatch((1, 2, 3)).fill(photo(), hole)[hole] == (1, 2, 3)).all()
    assert (FlatPatch().fill(photo(), holes()["corner"])[0, 0] == 255).all()
