"""Drawings of people: standing, walking, sitting, reading, waving."""

from __future__ import annotations

from random import Random

from anamorph.toybox.drawing.appearances import Appearance
from anamorph.toybox.drawing.pens import RGB, Pen, Point, darker, lighter

SKINS: tuple[RGB, ...] = ((247, 212, 184), (232, 184, 148), (198, 142, 102), (150, 100, 68), (104, 68, 48))
HAIRS: tuple[RGB, ...] = ((44, 34, 32), (84, 54, 36), (134, 86, 48), (214, 168, 92), (168, 80, 42), (150, 148, 150))
TROUSERS: tuple[RGB, ...] = ((52, 66, 104), (74, 74, 82), (110, 88, 66), (60, 84, 88), (44, 46, 60), (150, 138, 112))
SHOES: tuple[RGB, ...] = ((52, 44, 44), (120, 74, 50), (226, 224, 220), (150, 44, 44))

# The middle of the open book of a reader, in units of the person.
BOOK_STANDING: Point = (0.0, -0.585)
BOOK_SITTING: Point = (0.205, -0.37)


class _Body:
    """The colors of one person, and the shared parts of poses."""

    def __init__(self, pen: Pen, look: Appearance) -> None:
        rng = Random(look.variant)
        self.pen = pen
        self.skin = rng.choice(SKINS)
        self.child = look.form == "child"
        self.hair = rng.choice(HAIRS[:2] if self.skin in SKINS[3:] else HAIRS[:5] if self.child else HAIRS)
        self.shirt = look.ink
        self.trousers = rng.choice(TROUSERS)
        self.shoes = rng.choice(SHOES)
        self.woman = look.form == "woman"
        self.skirt = self.woman and rng.random() < 0.5
        self.cap = not self.woman and rng.random() < 0.25
        # A child has a larger head for its height.
        self.r = 0.115 if self.child else 0.092

    def head(self, x: float, y: float, side: bool) -> None:
        pen, r = self.pen, self.r
        if self.woman:
            dx = -0.02 if side else 0.0
            pen.blob(
                [
                    (x + dx - r * 1.12, y - r * 0.2),
                    (x + dx - r * 0.6, y - r * 1.15),
                    (x + dx + r * 0.5, y - r * 1.15),
                    (x + dx + r * (0.6 if side else 1.12), y - r * 0.2),
                    (x + dx + r * (0.1 if side else 1.2), y + r * 1.5),
                    (x + dx, y + r * 1.2),
                    (x + dx - r * 1.25, y + r * 1.6),
                ],
                self.hair,
            )
        pen.limb([(x, y + r * 0.7), (x, y + r * 1.35)], [r * 0.8, r * 0.8], darker(self.skin, 0.12), rim=0)
        pen.oval(x, y, r * 0.92, r * 1.04, self.skin)
        if side:
            pen.oval(x + r * 0.92, y + r * 0.16, r * 0.16, r * 0.14, self.skin, rim=0)
            pen.oval(x - r * 0.08, y + r * 0.14, r * 0.16, r * 0.22, darker(self.skin, 0.14), rim=0)
            eyes: tuple[float, ...] = (0.52,)
            mouth = (0.3, 0.72)
        else:
            eyes, mouth = (-0.34, 0.34), (-0.3, 0.3)
        for eye in eyes:
            pen.oval(x + eye * r, y + r * 0.06, r * 0.12, r * 0.16, (40, 34, 36), rim=0)
        pen.line(
            [(x + mouth[0] * r, y + r * 0.5), (x + sum(mouth) / 2 * r, y + r * 0.62), (x + mouth[1] * r, y + r * 0.5)],
            r * 0.12,
            (150, 62, 58),
            smooth=True,
        )
        self._top(x, y, side)

    def _top(self, x: float, y: float, side: bool) -> None:
        pen, r = self.pen, self.r
        if self.cap:
            tone = darker(self.shirt, 0.3)
            pen.blob(
                [
                    (x - r, y - r * 0.25),
                    (x - r * 0.9, y - r * 0.95),
                    (x, y - r * 1.25),
                    (x + r * 0.9, y - r * 0.95),
                    (x + r, y - r * 0.25),
                ],
                tone,
            )
            if side:
                pen.limb([(x + r * 0.5, y - r * 0.32), (x + r * 1.5, y - r * 0.26)], [r * 0.26, r * 0.18], tone)
            else:
                pen.limb(
                    [(x - r * 0.8, y - r * 0.3), (x + r * 0.8, y - r * 0.3)], [r * 0.24, r * 0.24], darker(tone, 0.15)
                )
            return
        if side:
            pen.blob(
                [
                    (x + r * 0.75, y - r * 0.5),
                    (x + r * 0.3, y - r * 1.15),
                    (x - r * 0.6, y - r * 1.1),
                    (x - r * 1.08, y - r * 0.3),
                    (x - r * 0.9, y + r * 0.5),
                    (x - r * 0.45, y + r * 0.2),
                    (x - r * 0.25, y - r * 0.4),
                ],
                self.hair,
            )
        else:
            pen.blob(
                [
                    (x - r * 1.02, y + r * 0.1),
                    (x - r * 0.98, y - r * 0.6),
                    (x - r * 0.3, y - r * 1.18),
                    (x + r * 0.45, y - r * 1.15),
                    (x + r, y - r * 0.55),
                    (x + r * 1.02, y + r * 0.1),
                    (x + r * 0.75, y - r * 0.45),
                    (x - r * 0.2, y - r * 0.55),
                    (x - r * 0.72, y - r * 0.3),
                ],
                self.hair,
            )

    def arm(self, shoulder: Point, elbow: Point, hand: Point, back: bool = False) -> None:
        tone = darker(self.shirt, 0.2) if back else self.shirt
        skin = darker(self.skin, 0.14) if back else self.skin
        self.pen.limb([elbow, hand], [0.058, 0.046], skin)
        self.pen.oval(hand[0], hand[1], 0.032, 0.032, skin, rim=0)
        self.pen.limb([shoulder, elbow], [0.082, 0.07], tone)

    def leg(self, hip: Point, knee: Point, foot: Point, toe: float, back: bool = False) -> None:
        bare = self.skirt
        tone = self.skin if bare else self.trousers
        tone = darker(tone, 0.2) if back else tone
        shoe = darker(self.shoes, 0.15) if back else self.shoes
        self.pen.limb([(foot[0], foot[1]), (foot[0] + toe, foot[1] + 0.008)], [0.05, 0.04], shoe)
        self.pen.limb([hip, knee, (foot[0], foot[1] - 0.03)], [0.105, 0.085, 0.062], tone)

    def torso(self, x: float, top: float, bottom: float, half_top: float, half_bottom: float) -> None:
        pen = self.pen
        pen.blob(
            [
                (x - half_top * 0.55, top),
                (x + half_top * 0.55, top),
                (x + half_top, top + 0.045),
                (x + half_bottom, (top + bottom) / 2 + 0.04),
                (x + half_bottom * 1.02, bottom),
                (x - half_bottom * 1.02, bottom),
                (x - half_bottom, (top + bottom) / 2 + 0.04),
                (x - half_top, top + 0.045),
            ],
            self.shirt,
        )
        pen.line(
            [(x - half_top * 0.35, top + 0.004), (x, top + 0.028), (x + half_top * 0.35, top + 0.004)],
            0.014,
            lighter(self.shirt, 0.4),
            smooth=True,
        )

    def skirts(self, x: float, waist: float, hem: float, half: float) -> None:
        if self.skirt:
            self.pen.blob(
                [(x - 0.09, waist), (x + 0.09, waist), (x + half, hem), (x, hem + 0.012), (x - half, hem)],
                darker(self.shirt, 0.12),
            )


def draw_person(pen: Pen, look: Appearance) -> None:
    """A person of about one unit in height, in the pose of the action."""
    body = _Body(pen, look)
    if look.pose == "floor":
        _sit_on_floor(body, look.action)
    elif look.pose == "seat":
        _sit_on_seat(body)
    elif look.action == "walking":
        _walk(body)
    else:
        _stand(body, look.action)


def _stand(body: _Body, action: str) -> None:
    head_y = -1.0 + body.r * 1.12
    top = head_y + body.r * 1.12
    body.leg((-0.052, -0.46), (-0.062, -0.24), (-0.07, -0.024), -0.03)
    body.leg((0.052, -0.46), (0.062, -0.24), (0.07, -0.024), 0.03)
    body.skirts(0, -0.5, -0.24, 0.155)
    if action == "standing":
        body.arm((-0.13, top + 0.06), (-0.175, -0.6), (-0.165, -0.455))
        body.arm((0.13, top + 0.06), (0.175, -0.6), (0.165, -0.455))
    elif action == "waving":
        body.arm((-0.13, top + 0.06), (-0.175, -0.6), (-0.165, -0.455))
    body.torso(0, top, -0.44, 0.145, 0.108)
    body.head(0, head_y, side=False)
    if action == "waving":
        body.arm((0.125, top + 0.055), (0.245, -0.78), (0.275, -0.98))
    elif action == "reading":
        body.arm((-0.13, top + 0.06), (-0.18, -0.6), (-0.07, -0.55))
        body.arm((0.13, top + 0.06), (0.18, -0.6), (0.07, -0.55))


def _walk(body: _Body) -> None:
    head_y = -1.0 + body.r * 1.12
    top = head_y + body.r * 1.12
    body.arm((-0.01, top + 0.06), (0.09, -0.62), (0.2, -0.54), back=True)
    body.leg((-0.01, -0.46), (-0.075, -0.25), (-0.21, -0.075), 0.045, back=True)
    body.leg((0.01, -0.46), (0.115, -0.265), (0.17, -0.024), 0.06)
    body.skirts(0, -0.5, -0.26, 0.15)
    body.torso(0, top, -0.44, 0.098, 0.092)
    body.head(0.015, head_y, side=True)
    body.arm((0, top + 0.06), (-0.1, -0.62), (-0.12, -0.46))


def _sit_on_floor(body: _Body, action: str) -> None:
    head_y = -0.66 + body.r * 1.12
    top = head_y + body.r * 1.1
    x = -0.12
    body.leg((x + 0.02, -0.07), (x + 0.24, -0.24), (x + 0.37, -0.03), 0.06, back=True)
    body.torso(x, top, -0.03, 0.105, 0.115)
    body.skirt = False
    body.leg((x + 0.02, -0.06), (x + 0.21, -0.22), (x + 0.33, -0.024), 0.06)
    body.head(x + 0.01, head_y, side=True)
    hand = (x + 0.25, -0.345) if action == "reading" else (x + 0.24, -0.26)
    body.arm((x, top + 0.065), (x + 0.07, -0.22), hand)


def _sit_on_seat(body: _Body) -> None:
    head_y = -0.84 + body.r * 1.12
    top = head_y + body.r * 1.1
    x = -0.08
    body.skirt = False
    body.leg((x + 0.01, -0.3), (x + 0.2, -0.3), (x + 0.2, -0.024), 0.055, back=True)
    body.torso(x, top, -0.26, 0.105, 0.108)
    body.leg((x, -0.29), (x + 0.235, -0.285), (x + 0.24, -0.024), 0.06)
    body.head(x + 0.01, head_y, side=True)
    body.arm((x, top + 0.065), (x + 0.05, -0.42), (x + 0.19, -0.36))
