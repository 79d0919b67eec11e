"""Search engines that find photos by words, and the downloads of what they find."""
