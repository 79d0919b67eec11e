"""Published ways to test; each one composes edits and relations."""
