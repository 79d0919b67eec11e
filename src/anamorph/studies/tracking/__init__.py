"""A run in an experiment tracker: parameters, rates, causes, proofs, the report."""
