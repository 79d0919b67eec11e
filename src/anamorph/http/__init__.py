"""The one HTTP client: deadline, limits, redirects, secrets, checked addresses."""
