"""Cut-outs: taking them from photos, judging them, keeping them."""
