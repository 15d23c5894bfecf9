"""What happens during a run, for those who watch or study it."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Optional, Sequence, Tuple, Union

from .lemmas import Lemmas

__all__ = ["Decided", "Event", "Frames", "Instance", "Progress", "Query"]


class Progress(NamedTuple):
    """An engine works on a bound.

    Attributes:
        engine: The name of the engine.
        bound: The number of steps, or of frames, that it looks at.
        details: What it does, in a few words each, the most important part first.
    """

    engine: str
    bound: int
    details: Tuple[str, ...]


class Query(NamedTuple):
    """A query to a solver ended.

    Attributes:
        engine: The name of the engine.
        kind: What was asked, in a word.
        answer: ``sat``, ``unsat`` or ``stopped``.
        conflicts: The conflicts of the solver.
        seconds: The time of the query.
    """

    engine: str
    kind: str
    answer: str
    conflicts: int
    seconds: float


class Frames(NamedTuple):
    """The frames and lemmas of property directed reachability as they are now."""

    lemmas: Lemmas


class Decided(NamedTuple):
    """A property got a verdict, whose evidence is not yet checked.

    Attributes:
        engine: The name of the engine.
        property: The name of the property.
        safe: Whether the property holds.
        depth: The cycle of the failure, or the level of the proof; 0 if that is not known.
    """

    engine: str
    property: str
    safe: bool
    depth: int


class Instance(NamedTuple):
    """The search for an optimum has decided the instance of this bound."""

    bound: int


Event = Union[Progress, Query, Frames, Decided, Instance]
"""Any of them."""

ProgressFunction = Callable[[Progress], object]
EventFunction = Callable[[Event], object]


def listener(
    names: Sequence[str],
    on_progress: Optional[ProgressFunction],
    on_event: Optional[EventFunction],
) -> Optional[Callable[..., object]]:
    """The function that the extension module calls."""
    if on_progress is None and on_event is None:
        return None

    def listen(kind: str, *data: Any) -> None:
        event = _event(names, kind, data)
        if on_progress is not None and isinstance(event, Progress):
            on_progress(event)
        if on_event is not None:
            on_event(event)

    return listen


def _event(names: Sequence[str], kind: str, data: Tuple[Any, ...]) -> Event:
    if kind == "progress":
        engine, bound, details = data
        return Progress(engine, bound, tuple(details))
    if kind == "query":
        return Query(*data)
    if kind == "frames":
        return Frames(Lemmas(data[0]))
    if kind == "decided":
        engine, place, safe, depth = data
        name = names[int(place)]
        return Decided(engine, name, safe, depth)
    return Instance(*data)
