"""The words of a report, for people who have read nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from anamorph.report.cause_words import GRADE_WORDS

# By the name that a page's address uses: the word as it is shown, and what it means.
GLOSSARY: Mapping[str, tuple[str, str]] = {
    "case": (
        "case",
        "One comparison: the system's answers to a source picture and to its follow-ups, and a rule that they must "
        "meet. A photo has several.",
    ),
    "source": ("source", "The picture, or the question, that a case starts from."),
    "follow-up": (
        "follow-up",
        "The same picture after a known change, or another question about it. What is outlined was changed.",
    ),
    "relation": ("relation", "The rule that the answers of a case must meet, whatever the picture shows."),
    "violated": ("broken, violated", "The answers cannot all be right: at least one of them is wrong. Also: an issue."),
    "undecided": ("undecided", "An answer is missing or cannot be read well enough to say whether the rule is met."),
    "vacuous": ("vacuous", "The rule is met only because the answers name nothing that could be compared."),
    "interval": (
        "interval",
        "The range in which the true rate lies, with 95% confidence. Tests of one photo are not independent, and the "
        "range allows for that.",
    ),
    "grade": ("grade", "How sure it is that something is wrong: contradiction, invention, miscount or omission."),
    **{grade: (grade, f"{words[0].upper()}{words[1:]}.") for grade, words in GRADE_WORDS.items()},
    "ungraded": ("ungraded", "Judged exactly as a paper says, which gives no grade."),
    "suspicion": (
        "suspicion",
        "Answers that seem to contradict each other. It counts once it is proved, and not before.",
    ),
    "closed-question": (
        "closed question",
        "A question whose answer is yes or no, a number, or one of two, such as \u201cHow many dogs are in the image? "
        "Answer with a single number.\u201d",
    ),
    "proved": (
        "proved",
        "Answers to closed questions cannot all be right, also when they are asked again. Of a system that takes no "
        "questions: the change can be neither chance nor taste.",
    ),
    "lead": (
        "lead",
        "A suspicion that could not be proved. It is kept and shown apart, and counts for no rate and no gate.",
    ),
    "refuted": ("refuted", "Asked closed questions, the system does not contradict itself, so the rule is met."),
    "unfair-edit": (
        "unfair edit",
        "The change did something else than planned, as the system itself sees it, so the rule is met.",
    ),
    "witness": ("witness", "Another system that was asked what the images show (confirm_with)."),
    "noise": ("noise", "How often the same question about the same image gets another answer when it is asked again."),
    "cause": (
        "cause",
        "One wrong answer, or the same mistake in all pictures of a scene. One cause can break many "
        "cases, and a case that is wrong about several things has several causes.",
    ),
    "pattern": ("pattern", "Causes of one kind about one class, over all scenes."),
    "wrong-anyway": ("wrong anyway", "The untouched photo was described wrongly already, whatever the change did."),
    "gate": ("gate", "The limits that decide whether the run passes or fails, for example in CI."),
    "scene": ("scene", "A photo and what is known of it, such as the objects in it."),
    "baseline": ("baseline", "Causes of an earlier run that are known, so that only new ones fail."),
}
