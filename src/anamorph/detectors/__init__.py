"""Networks from files that find things in a picture, whatever the layout of their inputs and outputs."""

from anamorph.detectors.detection import Detection
from anamorph.detectors.opening import Detector, open_detector

__all__ = ["Detection", "Detector", "open_detector"]
