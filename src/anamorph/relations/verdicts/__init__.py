"""How relations compare quantities and put verdicts into words."""
