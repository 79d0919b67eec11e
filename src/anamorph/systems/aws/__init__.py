"""Shared by systems on Amazon's APIs: boto3's clients and their errors."""
