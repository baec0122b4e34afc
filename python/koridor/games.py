"""Games by name, and positions of them."""

from __future__ import annotations

import ctypes
import operator
from dataclasses import dataclass
from enum import IntFlag
from typing import Iterator

import numpy as np
import numpy.typing as npt

from koridor._library import (
    EncodingShape, GameInfo, Handle, OutcomeStruct, lib, list_of, notation_number, pointer_to, text_of,
)


@dataclass(frozen=True)
class Encoding:
    """What a network sees and answers, in the shapes of docs/formats.md."""

    version: int
    planes: int
    rows: int
    columns: int
    scalars: int
    policy_size: int
    value_size: int


@dataclass(frozen=True)
class Outcome:
    """How a finished game ended."""

    winner: int | None
    """The player from 0; None: a draw."""
    values: tuple[float, ...]
    """Each player's points: 1 a win, 0 a loss, 1 / players a draw."""


def registered_games() -> dict[str, str]:
    """The ids of all games, each with one line about it."""
    count = lib.koridor_game_count()
    return {lib.koridor_game_id(i).decode(): lib.koridor_game_title(i).decode() for i in range(count)}


class Features(IntFlag):
    """What an encoding shows beside the board: library/koridor.h says what each is."""

    NONE = 0
    DISTANCES = 1
    WAYS = 2
    WALL_EFFECTS = 4


class Game(Handle):
    """The rules of a game: `Game("quoridor:5x5,walls=3")`. It never changes, and any thread may use it."""

    _free = "koridor_game_free"

    def __init__(self, name: str):
        super().__init__(self.make(lib.koridor_game_new, name))
        info = GameInfo()
        lib.koridor_game_describe(self.pointer, ctypes.byref(info))
        self.name: str = lib.koridor_game_name(self.pointer).decode()
        self.family: str = lib.koridor_game_family(self.pointer).decode()
        self.action_order: str = lib.koridor_game_action_order(self.pointer).decode()
        self.players: int = info.players
        self.rows: int = info.rows
        self.columns: int = info.columns
        self.num_actions: int = info.num_actions
        self.max_plies: int = info.max_plies
        self.num_symmetries: int = info.num_symmetries
        self.packed_size: int = info.packed_size

    @property
    def rules(self) -> dict[str, str]:
        """Every rule and its value."""
        lines = lib.koridor_game_rules(self.pointer).decode().splitlines()
        return dict(line.split("=", 1) for line in lines)

    def encoding(self, features: Features = Features.DISTANCES) -> Encoding:
        """The shapes of an encoding with these features."""
        shape = EncodingShape()
        lib.koridor_game_encoding(self.pointer, int(features), ctypes.byref(shape))
        return Encoding(*(getattr(shape, name) for name, _ in shape._fields_[1:]))

    def start(self) -> State:
        """The position that the game starts from."""
        return State(self)

    def unpack(self, packed: npt.NDArray[np.uint8] | bytes) -> State:
        """The position that a row of /ply/state of a shard holds, without its past."""
        data = np.frombuffer(packed, np.uint8) if isinstance(packed, bytes) else np.ascontiguousarray(packed, np.uint8)
        return State(self, self.make(lib.koridor_state_unpack, self.pointer, pointer_to(data), data.size))

    def __repr__(self) -> str:
        return f"Game({self.name!r})"


class State(Handle):
    """A position. One thread at a time may change it."""

    _free = "koridor_state_free"

    def __init__(self, game: Game, pointer: int | None = None):
        self.game = game
        super().__init__(self.make(lib.koridor_state_new, game.pointer) if pointer is None else pointer)

    def copy(self) -> State:
        return State(self.game, self.make(lib.koridor_state_copy, self.pointer))

    @property
    def player(self) -> int:
        """Who is to move, from 0. An error where the game is over."""
        number = ctypes.c_int32()
        lib.koridor_state_player(self.pointer, ctypes.byref(number))
        return number.value

    @property
    def ply(self) -> int:
        number = ctypes.c_int32()
        lib.koridor_state_ply(self.pointer, ctypes.byref(number))
        return number.value

    @property
    def key(self) -> int:
        """64 bits that differ where positions differ, but for chance collisions."""
        number = ctypes.c_uint64()
        lib.koridor_state_key(self.pointer, ctypes.byref(number))
        return number.value

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended; None while it goes on."""
        outcome = OutcomeStruct()
        lib.koridor_state_outcome(self.pointer, ctypes.byref(outcome))
        if not outcome.over:
            return None
        return Outcome(None if outcome.winner < 0 else outcome.winner, tuple(outcome.values[: self.game.players]))

    @property
    def over(self) -> bool:
        return self.outcome is not None

    def legal(self) -> list[int]:
        """The legal actions in rising order; none where the game is over."""
        return list(list_of(lambda *out: lib.koridor_state_legal(self.pointer, *out)))

    def apply(self, action: int | str) -> None:
        """Plays an action, or what a text names. KoridorError says why where it cannot be played."""
        number = self.read(action) if isinstance(action, str) else operator.index(action)
        lib.koridor_state_apply(self.pointer, number)

    def read(self, text: str, notation: str = "standard") -> int:
        """The legal action that a text names."""
        action = ctypes.c_int32()
        lib.koridor_state_read_action(self.pointer, text, notation_number(notation), ctypes.byref(action))
        return action.value

    def text(self, action: int, notation: str = "standard") -> str:
        """An action of this position as text."""
        number = notation_number(notation)
        return text_of(lambda *out: lib.koridor_state_action_text(self.pointer, action, number, *out))

    def board(self, notation: str = "standard") -> str:
        """The board for a terminal."""
        number = notation_number(notation)
        return text_of(lambda *out: lib.koridor_state_board(self.pointer, number, *out))

    def pack(self) -> npt.NDArray[np.uint8]:
        """The position as the bytes of shards, without its past."""
        packed = np.empty(self.game.packed_size, np.uint8)
        lib.koridor_state_pack(self.pointer, pointer_to(packed), packed.size)
        return packed

    def __iter__(self) -> Iterator[int]:
        return iter(self.legal())

    def __str__(self) -> str:
        return self.board()
