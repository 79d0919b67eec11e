"""Studies of runs and beside runs, a package each."""
