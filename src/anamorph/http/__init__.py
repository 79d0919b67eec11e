"""The only HTTP client: deadline, limits, redirects, secrets, checked addresses."""
