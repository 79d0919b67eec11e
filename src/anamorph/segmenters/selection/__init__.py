"""What segmenters share: what a network found on a photo, and the objects that follow from it."""
