"""Rates, intervals and agreement, checked against statsmodels and scipy in tests, without depending on them."""
