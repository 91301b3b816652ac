"""What a stated share of the annotators agrees on; what is left is for a curator or adjudication.

Source: the shared task's overview paper, Appendix A (three of four annotators) and, for task 1,
two annotators and a curator.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from climatecheck.tables import Booleans, Integers
from organiser.agreement.annotations import Annotations, Item
from organiser.editions import OrganiserError

SHARE = Fraction(3, 4)
LEAST_ANNOTATORS = 2
UNANIMOUS, MAJORITY, CURATOR, ADJUDICATED, OPEN = (
    "unanimous",
    "majority",
    "curator",
    "adjudicated",
    "open",
)


@dataclass(frozen=True)
class Votes:
    """What the annotators' votes decide.

    Attributes:
        share: that is asked for.
        votes: (items, labels) how many annotators gave a label.
        number: (items,) how many annotated the item.
        agreed: (items, labels) the share gave the label.
        disputed: (items, labels) neither that share gave it nor that share left it out.
        settled: (items,) no label is disputed, at least one is agreed, and two annotators or more
            have seen the item.
        unanimous: (items,) settled, and all annotators gave the very same labels.
        same_set: (items,) that share of the annotators gave the very same labels.
    """

    share: Fraction
    votes: Integers
    number: Integers
    agreed: Booleans
    disputed: Booleans
    settled: Booleans
    unanimous: Booleans
    same_set: Booleans


def parsed_share(text: str) -> Fraction:
    """Return a share such as ``3/4`` or ``0.75``.

    Raises:
        OrganiserError: it is no number above one half and up to 1.

    >>> parsed_share("3/4"), parsed_share("0.75")
    (Fraction(3, 4), Fraction(3, 4))
    """
    try:
        share = Fraction(text)
    except (ValueError, ZeroDivisionError):
        share = Fraction(0)
    if not Fraction(1, 2) < share <= 1:
        raise OrganiserError(
            f"The share of a majority is “{text}”; write a number above 1/2 and up to 1, such as"
            " 3/4."
        )
    return share


def votes_of(annotations: Annotations, share: Fraction = SHARE) -> Votes:
    """Return what the annotators decide, each label by itself.

    A label is agreed if at least ``share`` of those who annotated the item gave it, and left out
    if at least that share did not.
    """
    votes = annotations.marks.sum(axis=0).astype(np.int64)
    number = annotations.made.sum(axis=0).astype(np.int64)
    asked = share.numerator * number[:, None]
    agreed = (votes * share.denominator >= asked) & (number[:, None] > 0)
    left_out = (number[:, None] - votes) * share.denominator >= asked
    disputed = ~agreed & ~left_out
    enough = number >= LEAST_ANNOTATORS
    settled = enough & agreed.any(axis=1) & ~disputed.any(axis=1)
    alike = ((votes == 0) | (votes == number[:, None])).all(axis=1)
    same = _most_alike(annotations) * share.denominator >= share.numerator * number
    return Votes(share, votes, number, agreed, disputed, settled, settled & alike, enough & same)


def _most_alike(annotations: Annotations) -> Integers:
    """Return, for each item, how many annotators gave the most frequent set of labels."""
    answer, _ = annotations.answers()
    made = annotations.made
    alike = [
        ((answer == one) & made & is_made).sum(axis=0)
        for one, is_made in zip(answer, made, strict=True)
    ]
    most: Integers = np.max(alike, axis=0)
    return most


@dataclass(frozen=True)
class Decisions:
    """The gold of each item, and how it was found.

    Attributes:
        annotations: of the annotators, without the curator.
        votes: what they decide.
        gold: (items, labels); none for an open item.
        how: one a item: ``unanimous``, ``majority``, ``curator``, ``adjudicated`` or ``open``.
        curated: the curator's answers, also where none was needed.
        comments: of the adjudication, by item.
    """

    annotations: Annotations
    votes: Votes
    gold: Booleans
    how: tuple[str, ...]
    curated: Mapping[Item, Booleans]
    comments: Mapping[Item, str]

    @property
    def is_open(self) -> Booleans:
        """Which items are still to be decided, (items,)."""
        return np.array([how == OPEN for how in self.how], dtype=np.bool_)

    @property
    def overruled(self) -> list[int]:
        """The items that the annotators settled and the curator would have decided otherwise."""
        return [
            place
            for place, item in enumerate(self.annotations.items)
            if self.votes.settled[place]
            and item in self.curated
            and (self.curated[item] != self.gold[place]).any()
        ]


def decide(
    annotations: Annotations,
    votes: Votes,
    curated: Mapping[Item, Booleans],
    adjudicated: Mapping[Item, Booleans],
    comments: Mapping[Item, str],
) -> Decisions:
    """Return the gold: what the votes settle, else what the curator says, else the adjudication."""
    gold = votes.agreed & votes.settled[:, None]
    how = []
    for place, item in enumerate(annotations.items):
        if votes.settled[place]:
            how.append(UNANIMOUS if votes.unanimous[place] else MAJORITY)
            continue
        for source, answers in ((CURATOR, curated), (ADJUDICATED, adjudicated)):
            if item in answers:
                gold[place] = answers[item]
                how.append(source)
                break
        else:
            how.append(OPEN)
    return Decisions(annotations, votes, gold, tuple(how), curated, comments)
