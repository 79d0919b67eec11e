"""Coverage and sources of a tagger's scores: ATOM's RQ2 and RQ3, from the answers of a run."""
