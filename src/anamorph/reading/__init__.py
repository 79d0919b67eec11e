"""From texts to readings: one parse for captions and answers, and its words in packs."""
