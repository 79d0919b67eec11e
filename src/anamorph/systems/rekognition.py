"""Amazon Rekognition, DetectLabels, as the system under test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from anamorph.errors import Refused
from anamorph.http.secrets import Redactor
from anamorph.model import Answer, Ask, Failure, setting
from anamorph.systems.aws.operations import SECRET_VARIABLES, AwsOperation
from anamorph.systems.remote.image_limits import ImageLimit
from anamorph.systems.remote.system import RemoteSystem
from anamorph.systems.replies.answers import BadReply, part_of, show, surest_labels

ADAPTER_VERSION = 1


@dataclass(frozen=True, slots=True, repr=False)
class RekognitionSystem(RemoteSystem):
    """Ask Amazon Rekognition for the labels of an image."""

    kind: ClassVar[str] = "rekognition"
    environment: ClassVar[tuple[str, ...]] = SECRET_VARIABLES
    answers_with: ClassVar[tuple[str, ...]] = ("labels",)
    region: str = setting(
        "", "The AWS region, such as eu-west-1; else AWS_REGION, AWS_DEFAULT_REGION or the profile's."
    )
    max_labels: int = setting(100, "At most this many labels.", least=1)
    min_confidence: float = setting(50.0, "The lowest confidence of labels, in percent.", least=0, most=100)
    profile: str = setting("", "A profile of ~/.aws; else AWS_PROFILE, if it is set.")
    endpoint_url: str = setting("", "The service's address; else AWS's for the region.")
    longest_side: int = setting(4096, "Images with a longer side, in pixels, are shrunk to it.", least=80, most=10000)
    most_bytes: int = setting(5_242_880, "Larger image files are made smaller.", least=1000, most=5_242_880)
    parallel: int = setting(8, "The most concurrent calls.", least=1)
    _operation: AwsOperation = field(init=False, compare=False)
    _limit: ImageLimit = field(init=False, compare=False)

    def __post_init__(self) -> None:
        operation = AwsOperation(
            self.kind,
            "rekognition",
            "DetectLabels",
            _answer,
            region=self.region,
            profile=self.profile,
            endpoint_url=self.endpoint_url,
            parallel=self.parallel,
        )
        object.__setattr__(self, "_operation", operation)
        object.__setattr__(self, "_limit", ImageLimit(self.longest_side, self.most_bytes))

    def __repr__(self) -> str:
        return f"RekognitionSystem({self._operation.region!r})"

    @property
    def fingerprint(self) -> Mapping[str, Any]:
        return {
            "kind": self.kind,
            "adapter": ADAPTER_VERSION,
            "region": self._operation.region,
            "url": self.endpoint_url,
            "parameters": self._parameters(),
            "image": self._limit.fingerprint(),
        }

    @property
    def contacts(self) -> str:
        return self._operation.address

    def close(self) -> None:
        self._operation.close()

    def _redactor(self) -> Redactor:
        return self._operation.redactor()

    def _ask_one(self, ask: Ask, timeout_seconds: float) -> Answer | Failure:
        if ask.question is not None:
            raise Refused("rekognition takes no questions. Choose a method for taggers.")
        image = {"Bytes": self._limit.fitted(ask)}
        return _answer(self._operation.call({"Image": image, **self._parameters()}, timeout_seconds))

    def _parameters(self) -> dict[str, Any]:
        return {"MaxLabels": self.max_labels, "MinConfidence": self.min_confidence}


def _answer(said: Any) -> Answer:
    labels = part_of(said, "Labels", list, "the reply")
    return surest_labels((part_of(label, "Name", str, "Labels"), _share(label)) for label in labels)


def _share(label: Any) -> float:
    confidence = label.get("Confidence")
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not abs(confidence) <= 1e6:
        raise BadReply(f"expected a number at 'Confidence' in Labels, got {show(confidence)}")
    return confidence / 100
