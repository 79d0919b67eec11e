"""Consistency of the numbers that answers state about images of one photo."""

from anamorph.ledger.ledger import Floor, Ledger
from anamorph.ledger.statements import Changed, Covered, Empty, Joined, Link, Same, Statement, Within

__all__ = ["Changed", "Covered", "Empty", "Floor", "Joined", "Ledger", "Link", "Same", "Statement", "Within"]
