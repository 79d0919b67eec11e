"""Selection of detected objects; shared by all segmenters."""
