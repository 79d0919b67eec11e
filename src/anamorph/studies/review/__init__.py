"""People look at issues and mark the reports as right or wrong."""
