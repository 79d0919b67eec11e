"""The folder with the photos of a scene source: on this machine, on a web server or in a bucket."""
