"""What a tagger's outputs cover and where its scores come from: ATOM's RQ2 and RQ3, from the answers of a run."""
