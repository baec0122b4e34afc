"""One game with moves back and forth, and a search of its position."""

from __future__ import annotations

import ctypes
import json
import operator
import signal
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Callable, Iterator

import numpy as np
import numpy.typing as npt

from koridor._library import (
    AnalysisStruct, CandidateStruct, Handle, KoridorError, Limits, PROGRESS, SessionOptions, int32, lib,
    list_of, notation_number, seed64, text_of,
)
from koridor.games import Game, State
from koridor.models import Model, evaluation


@dataclass(frozen=True)
class Candidate:
    """The result of a search for one legal action."""

    action: int
    text: str
    visits: int
    policy: float
    """Its share of the search's policy."""
    prior: float
    """Its share of the network's policy."""
    values: tuple[float, ...]
    """Of each player; 0 where it was not visited."""
    proven: bool
    plies: int
    """Where proven: plies to the end of the game, this action included."""


@dataclass(frozen=True)
class Analysis:
    """The result of a search."""

    player: int
    best: int
    best_text: str
    values: tuple[float, ...]
    """Of each player, by the search."""
    raw_values: tuple[float, ...]
    """Of each player, by the network alone."""
    proven: bool
    visits: int
    nodes: int
    evaluations: int
    mean_depth: float
    largest_depth: int
    seconds: float
    candidates: list[Candidate]
    """Every legal action, the best first."""
    lines: list[list[str]]
    """The play that the search expects, beginning with each of the first candidates."""
    ownership: npt.NDArray[np.float32] | None
    """float32 [rows, columns]: who will own each point, 1 player 0, -1 the other, where it was asked for and is known."""

    @property
    def principal_variation(self) -> list[str]:
        return self.lines[0]


@contextmanager
def _interrupted_by_ctrl_c(session: Session) -> Iterator[None]:
    """Ctrl-C ends the search under way, and is then what it was. No exception may pass through the library, and one that
    Python raises as it enters a callback would be lost."""
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(usual):
        yield
        return
    came: list[Any] = []

    def note(_number: int, frame: Any) -> None:
        came.append(frame)
        session.stop()

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
        if came:
            session.clear_stop()  # where it came when the search had ended
            usual(signal.SIGINT, came[0])


class Session(Handle):
    """A game from its start. Without a model it cannot search. One thread at a time, but for stop()."""

    _free = "koridor_session_free"

    def __init__(
        self,
        game: Game,
        model: Model | None = None,
        *,
        threads: int = 1,
        memory_mebibytes: int = 1024,
        seed: int = 0,
        notation: str = "standard",
        backend: str | None = None,
        precision: str | None = None,
    ):
        how = evaluation(0, backend, precision)
        options = SessionOptions(
            threads=-1 if threads == 0 else int32(threads),
            memory_mebibytes=int32(memory_mebibytes),
            notation=notation_number(notation),
            seed=seed64(seed),
            evaluation=ctypes.pointer(how),
        )
        model_pointer = model.pointer if model else None
        super().__init__(self.make(lib.koridor_session_new, game.pointer, model_pointer, ctypes.byref(options)))
        self.game = game
        self.notation = notation

    def play(self, action: int | str) -> None:
        """Plays an action, or what a text names."""
        if isinstance(action, str):
            lib.koridor_session_play_text(self.pointer, action)
        else:
            lib.koridor_session_play(self.pointer, operator.index(action))

    @property
    def moves(self) -> list[int]:
        """All moves, those taken back included."""
        return list(list_of(lambda *out: lib.koridor_session_moves(self.pointer, *out, None)))

    @property
    def ply(self) -> int:
        """The number of the moves that led to the position."""
        number, count = ctypes.c_int32(), ctypes.c_size_t()
        lib.koridor_session_moves(self.pointer, None, 0, ctypes.byref(count), ctypes.byref(number))
        return number.value

    def go_to(self, ply: int) -> None:
        """Goes to the position after so many of the moves."""
        lib.koridor_session_go_to(self.pointer, ply)

    def undo(self, plies: int = 1) -> None:
        self.go_to(self.ply - plies)

    def redo(self, plies: int = 1) -> None:
        self.go_to(self.ply + plies)

    def restart(self, state: State | None = None) -> None:
        """Begins anew, from a position where one is given."""
        lib.koridor_session_restart(self.pointer, state.pointer if state else None)

    @property
    def state(self) -> State:
        """The position as one of its own."""
        return State(self.game, self.make(lib.koridor_session_state, self.pointer))

    def picture(self) -> dict[str, Any]:
        """The position as docs/picture.md says: all that a page needs to draw it."""
        return json.loads(text_of(lambda *out: lib.koridor_session_picture(self.pointer, *out)))

    def analysis_picture(self) -> dict[str, Any]:
        """The last search of the position likewise."""
        return json.loads(text_of(lambda *out: lib.koridor_session_analysis_picture(self.pointer, *out)))

    def stop(self) -> None:
        """Ends the search under way, or the next one, unless clear_stop() comes before it; for other threads."""
        lib.koridor_session_stop(self.pointer)

    def clear_stop(self) -> None:
        """Forgets a stop() that came when the search had already ended."""
        lib.koridor_session_clear_stop(self.pointer)

    def search(
        self,
        *,
        visits: int = 0,
        seconds: float = 0,
        nodes: int = 0,
        infinite: bool = False,
        lines: int = 1,
        ownership: bool = False,
        progress: Callable[[int, tuple[float, ...], int], bool | None] | None = None,
        report_seconds: float = 0.25,
    ) -> Analysis:
        """Searches the position until a limit is reached; 400 visits where there is none. `progress(nodes, values,
        best)` is called every `report_seconds`, and ends the search by returning True. So does Ctrl-C, in a quarter of a
        second."""
        raised: list[BaseException] = []
        wait = min(report_seconds, 0.25)  # seconds in which Python hears of Ctrl-C
        told = time.monotonic()

        def report(_user: int, so_far: ctypes._Pointer[AnalysisStruct]) -> int:  # type: ignore[name-defined]
            nonlocal told
            try:
                now = time.monotonic()
                if progress is None or (report_seconds > wait and now - told < report_seconds):
                    return 0
                told = now
                known = so_far.contents
                values = tuple(known.values[: self.game.players])
                return int(bool(progress(known.nodes, values, known.best)))
            except BaseException as error:  # no exception may pass through the library: it is raised below
                raised.append(error)
                return 1

        limits = Limits(
            visits=int32(visits),
            seconds=seconds,
            nodes=int32(nodes),
            infinite=int(infinite),
            lines=int32(lines),
            ownership=int(ownership),
            progress=PROGRESS(report),
            report_seconds=wait,
        )
        found = AnalysisStruct()
        with _interrupted_by_ctrl_c(self):
            lib.koridor_session_search(self.pointer, ctypes.byref(limits), ctypes.byref(found))
        if raised:
            raise raised[0]
        return self._analysis(found, lines)

    def choose(self, level: str = "full") -> int:
        """The action that a level of play takes here: "beginner", "easy", "casual", "medium", "hard", "expert" or
        "full". What was searched of the position before is forgotten, and the analysis of it is that of this search.
        The lower ones draw by the session's seed."""
        action = ctypes.c_int32()
        lib.koridor_session_choose(self.pointer, level, ctypes.byref(action))
        return action.value

    def _analysis(self, found: AnalysisStruct, lines: int) -> Analysis:
        here = self.state
        players = self.game.players
        size = ctypes.sizeof(CandidateStruct)
        entries = list_of(
            lambda array, capacity, count: lib.koridor_session_candidates(self.pointer, array, size, capacity, count),
            CandidateStruct,
        )
        candidates = [
            Candidate(
                entry.action,
                here.text(entry.action, self.notation),
                entry.visits,
                entry.policy,
                entry.prior,
                tuple(entry.values[:players]),
                bool(entry.proven),
                entry.plies,
            )
            for entry in entries
        ]
        return Analysis(
            player=found.seat,
            best=found.best,
            best_text=here.text(found.best, self.notation),
            values=tuple(found.values[:players]),
            raw_values=tuple(found.raw_values[:players]),
            proven=bool(found.proven),
            visits=found.visits,
            nodes=found.nodes,
            evaluations=found.evaluations,
            mean_depth=found.mean_depth,
            largest_depth=found.largest_depth,
            seconds=found.seconds,
            candidates=candidates,
            lines=[self._line(here, number) for number in range(min(max(lines, 1), len(candidates)))],
            ownership=self._ownership(),
        )

    def _line(self, here: State, number: int) -> list[str]:
        walk = here.copy()
        texts = []
        for action in list_of(lambda *out: lib.koridor_session_line(self.pointer, number, *out)):
            texts.append(walk.text(action, self.notation))
            walk.apply(action)
        return texts

    def _ownership(self) -> npt.NDArray[np.float32] | None:
        try:
            owners = list_of(lambda *out: lib.koridor_session_ownership(self.pointer, *out), ctypes.c_float)
        except KoridorError as error:
            if error.status == "KORIDOR_NO_RESULT":
                return None
            raise
        return np.array(owners, np.float32).reshape(self.game.rows, self.game.columns)
