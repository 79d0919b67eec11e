"""English by rules: captions, answers, wordings and lists of tags."""
