"""Running on a Ray cluster: copies of the system as actors, images made by workers, everything else here."""
