"""Many positions of one game at once: an environment for research."""

from __future__ import annotations

from numbers import Integral
from operator import attrgetter
from typing import Sequence

import numpy as np
import numpy.typing as npt

from koridor._library import KoridorError, lib, pointer_to, seed64
from koridor.games import Encoding, Features, Game, State


def _result(out: npt.NDArray | None, shape: tuple[int, ...], dtype: type) -> npt.NDArray:
    """The array to write into: the caller's, which must fit, or a new one."""
    if out is None:
        return np.empty(shape, dtype)
    if out.shape != shape or out.dtype != dtype or not out.flags.c_contiguous or not out.flags.writeable:
        raise ValueError(f"out is {out.dtype}{list(out.shape)}, expected a writable contiguous {np.dtype(dtype)}{list(shape)}")
    return out


class States:
    """`count` positions of a game, which are stepped and looked at together.

        states = koridor.States(game, 256)
        while not (over := states.outcomes()[0]).all():
            mask = states.legal_mask()                          # bool [256, num_actions]
            scores = rng.random(mask.shape) * mask
            states.step(np.where(over, -1, scores.argmax(axis=1)))

    Every result is an array with a row per state, written by one call of the library: into `out` where it is given, so
    that nothing is allocated, and else into a new array.
    """

    def __init__(self, game: Game, count: int | Sequence[State] = 1):
        self.game = game
        self.states: list[State] = [State(game) for _ in range(int(count))] if isinstance(count, Integral) else list(count)
        for row, state in enumerate(self.states):
            # The library takes the game from the states, and the arrays here have the sizes of `game`.
            if state.game.name != game.name:
                raise ValueError(f"state {row} is of {state.game.name}, expected {game.name}")
        self._pointers = np.array([state.pointer for state in self.states], np.uintp)

    def __len__(self) -> int:
        return len(self.states)

    def __getitem__(self, index: int) -> State:
        return self.states[index]

    @property
    def pointer(self) -> int:
        """The address of the handles, for calls of the library."""
        if None in map(attrgetter("_pointer"), self.states):
            raise KoridorError("KORIDOR_BAD_HANDLE", "one of these states is closed")
        return pointer_to(self._pointers)

    def players(self, out: npt.NDArray[np.int32] | None = None) -> npt.NDArray[np.int32]:
        """int32 [count]: who is to move, -1 where the game is over."""
        out = _result(out, (len(self),), np.int32)
        lib.koridor_states_players(self.pointer, len(self), pointer_to(out))
        return out

    def legal_mask(self, out: npt.NDArray[np.bool_] | None = None) -> npt.NDArray[np.bool_]:
        """bool [count, num_actions]: whether the action is legal; no action is where the game is over."""
        out = _result(out, (len(self), self.game.num_actions), np.bool_)
        lib.koridor_states_legal(self.pointer, len(self), pointer_to(out))
        return out

    def step(self, actions: npt.ArrayLike) -> None:
        """Plays actions[i] in state i; -1 leaves it as it is. KoridorError names the first state at fault, before which
        all have been played."""
        given = np.asarray(actions)
        chosen = np.ascontiguousarray(given, np.int32)
        whole = np.issubdtype(given.dtype, np.integer) or given.size == 0
        if not whole or (given.dtype != np.int32 and not np.array_equal(given, chosen)):
            raise ValueError(f"actions are whole numbers of 32 bits, and these, of {given.dtype}, are not")
        if chosen.shape != (len(self),):
            raise ValueError(f"actions has the shape {list(chosen.shape)}, expected [{len(self)}]")
        lib.koridor_states_apply(self.pointer, len(self), pointer_to(chosen))

    def outcomes(self) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float32]]:
        """bool [count]: whether the game is over; float32 [count, players]: the points, 0 while it is not."""
        over = np.empty(len(self), np.bool_)
        values = np.empty((len(self), self.game.players), np.float32)
        lib.koridor_states_outcomes(self.pointer, len(self), pointer_to(over), pointer_to(values))
        return over, values

    def reset(self, which: npt.ArrayLike | None = None) -> None:
        """Takes all states, or those where `which`, a bool [count], is true, back to the game's start."""
        chosen = np.ones(len(self), np.bool_) if which is None else np.asarray(which)
        if chosen.dtype != np.bool_ or chosen.shape != (len(self),):
            raise ValueError(f"which is {chosen.dtype}{list(chosen.shape)}, expected bool[{len(self)}]")
        for index in np.flatnonzero(chosen):
            lib.koridor_state_reset(self.states[index].pointer)

    def encode(
        self,
        planes: npt.NDArray[np.float32] | None = None,
        scalars: npt.NDArray[np.float32] | None = None,
        features: Features = Features.DISTANCES,
        symmetry: int = 0,
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """float32 [count, planes, rows, columns] and [count, scalars], as the player to move sees the position."""
        shape: Encoding = self.game.encoding(features)
        planes = _result(planes, (len(self), shape.planes, shape.rows, shape.columns), np.float32)
        scalars = _result(scalars, (len(self), shape.scalars), np.float32)
        lib.koridor_states_encode(
            self.pointer, len(self), int(features), symmetry, pointer_to(planes), pointer_to(scalars)
        )
        return planes, scalars

    def policy_indices(self, symmetry: int = 0) -> npt.NDArray[np.int32]:
        """int32 [count, num_actions]: where each action stands in a network's policy."""
        out = np.empty((len(self), self.game.num_actions), np.int32)
        lib.koridor_states_policy_indices(self.pointer, len(self), symmetry, pointer_to(out))
        return out

    def play_randomly(self, plies: int, seed: int = 0) -> None:
        """Plays up to so many random legal actions in each state. Equal seeds give equal games."""
        lib.koridor_states_play_randomly(self.pointer, len(self), plies, seed64(seed))
