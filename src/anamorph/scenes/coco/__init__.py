"""Reading and writing COCO files."""
