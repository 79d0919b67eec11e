"""Rates, intervals and agreement, checked against statsmodels and scipy, not depending on them."""
