"""SPOLRE: lay out the scene anew."""
