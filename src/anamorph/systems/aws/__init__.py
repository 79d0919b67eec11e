"""Shared code of systems behind Amazon's APIs: boto3's clients, and the translation of their errors."""
