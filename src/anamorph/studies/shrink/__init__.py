"""The smallest edit that still breaks a relation."""
