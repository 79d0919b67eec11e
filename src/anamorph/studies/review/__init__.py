"""People look at reported issues: the app in which they do, and what their marks add up to."""
