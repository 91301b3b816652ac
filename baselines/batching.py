"""The batching loop of every model: items of like length together, answers in the old order."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from baselines.progress import Progress

T = TypeVar("T")
R = TypeVar("R")


def by_length(lengths: Sequence[int], size: int) -> list[list[int]]:
    """Return batches of positions, longest items first, so that little is padded.

    A batch that does not fit into memory is met at once, and the time left is never too rosy.
    Items of one length keep their order.

    Args:
        lengths: (items,) length of each item, in any unit.
        size: items a batch.

    Raises:
        ValueError: if ``size`` is not positive.

    >>> by_length([3, 9, 3, 5, 9], 2)
    [[1, 4], [3, 0], [2]]
    """
    if size < 1:
        raise ValueError(f"a batch needs at least one item, not {size}")
    order = sorted(range(len(lengths)), key=lambda position: -lengths[position])
    return [order[start : start + size] for start in range(0, len(order), size)]


def in_batches(
    items: Sequence[T],
    work: Callable[[list[T]], Iterable[R]],
    *,
    size: int,
    length: Callable[[T], int],
    progress: str | None = None,
) -> list[R]:
    """Return one result for each item, in the order of the items.

    Args:
        items: what to work on.
        work: gives one result for each item of a batch, in the order of the batch; an array gives
            its rows.
        size: items a batch.
        length: length of an item, in any unit.
        progress: title of a progress bar; None shows none.

    Raises:
        ValueError: if ``size`` is not positive, or ``work`` gives more or fewer results than items.

    >>> in_batches(["aaa", "b", "cc"], lambda batch: map(str.upper, batch), size=2, length=len)
    ['AAA', 'B', 'CC']
    """
    results: dict[int, R] = {}
    with Progress(progress, len(items)) as bar:
        for batch in by_length([length(item) for item in items], size):
            made = list(work([items[position] for position in batch]))
            if len(made) != len(batch):
                raise ValueError(f"{len(made)} results came back for a batch of {len(batch)} items")
            results.update(zip(batch, made, strict=True))
            bar.advance(len(batch))
    return [results[position] for position in range(len(items))]
