"""Folders of photos: on this machine, on a web server or in a bucket."""
