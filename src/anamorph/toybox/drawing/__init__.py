"""From a seed to a drawn scene."""
