"""Any JSON endpoint as the system under test."""
