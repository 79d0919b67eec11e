"""What systems behind Amazon's APIs share: boto3's clients and how their errors are translated."""
