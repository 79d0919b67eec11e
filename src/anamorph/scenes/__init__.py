"""Where photos, and what is known of them, come from."""
