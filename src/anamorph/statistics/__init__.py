"""Rates, intervals and agreement; tests hold them against scipy and scikit-learn, which the product does without."""
