"""Rates, intervals and agreement, without scipy or scikit-learn, against which tests check them."""
