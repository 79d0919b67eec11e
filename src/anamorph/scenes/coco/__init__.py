"""COCO files, read and written."""
