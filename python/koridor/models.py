"""Models, and what their networks say of positions."""

from __future__ import annotations

import ctypes
import os
import threading
import weakref
from typing import Sequence

import numpy as np
import numpy.typing as npt

from koridor._library import EvaluationStruct, Handle, ModelInfo, int32, lib, pointer_to
from koridor.games import Features, Game, State
from koridor.states import States


def evaluation(max_batch: int, backend: str | None, precision: str | None, cache_mebibytes: int = 0) -> EvaluationStruct:
    """How positions are to be evaluated, for the library."""
    return EvaluationStruct(
        max_batch=int32(max_batch),
        cache_mebibytes=int32(cache_mebibytes),
        backend=backend.encode() if backend else None,
        precision=precision.encode() if precision else None,
    )


class Model(Handle):
    """A trained network: a file, or the bytes of one. It never changes, and any thread may use it."""

    _free = "koridor_model_free"

    def __init__(self, source: str | os.PathLike[str] | bytes, name: str = "a model in memory"):
        if isinstance(source, bytes):
            super().__init__(self.make(lib.koridor_model_load_memory, source, len(source), name))
        else:
            super().__init__(self.make(lib.koridor_model_load, os.fsencode(source)))
        self._kept = threading.local()  # an evaluator serves one thread at a time
        self._evaluators: weakref.WeakSet[Evaluator] = weakref.WeakSet()  # all that are kept, of any thread
        info = ModelInfo()
        lib.koridor_model_describe(self.pointer, ctypes.byref(info))
        self.game_name: str = lib.koridor_model_game(self.pointer).decode()
        self.family: str = lib.koridor_model_family(self.pointer).decode()
        self.encoding_version: int = info.encoding_version
        self.features: Features = Features(info.features)
        self.players: int = info.players
        self.generation: int = info.generation
        self.blocks: int = info.blocks
        self.channels: int = info.channels
        self.calibrated: bool = bool(info.calibrated)

    def save(self, path: str | os.PathLike[str], compact: bool = False) -> None:
        """Writes the model's file; compact ones have a third of the size, and the weights of int8."""
        lib.koridor_model_save(self.pointer, os.fsencode(path), int(compact))

    def game(self) -> Game:
        """The game that the model was trained on last."""
        return Game(self.game_name)

    def evaluator(
        self, game: Game | None = None, max_batch: int = 64, backend: str | None = None, precision: str | None = None
    ) -> Evaluator:
        return Evaluator(self, game or self.game(), max_batch, backend, precision)

    def evaluate(self, states: State | States | Sequence[State]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """As Evaluator.evaluate, with an evaluator of the states' game that is kept for the thread's next call."""
        if not isinstance(states, (State, States)) and not len(states):
            raise ValueError("there are no states to evaluate")
        game = states.game if isinstance(states, (State, States)) else states[0].game
        kept: dict[str, Evaluator] = self._kept.__dict__
        if game.name not in kept:
            kept[game.name] = self.evaluator(game)
            self._evaluators.add(kept[game.name])
        return kept[game.name].evaluate(states)

    def close(self) -> None:
        """Frees the model now, and what evaluate() keeps: neither can be used any more."""
        super().close()
        for evaluator in list(getattr(self, "_evaluators", ())):
            evaluator.close()

    def __repr__(self) -> str:
        return f"<Model of {self.game_name}, generation {self.generation}, {self.blocks} blocks of {self.channels} channels>"


class Evaluator(Handle):
    """A network at work on positions of one game. It serves one thread at a time."""

    _free = "koridor_evaluator_free"

    def __init__(
        self, model: Model, game: Game, max_batch: int = 64, backend: str | None = None, precision: str | None = None
    ):
        how = evaluation(max_batch, backend, precision)
        super().__init__(self.make(lib.koridor_evaluator_new, model.pointer, game.pointer, ctypes.byref(how)))
        self.game = game
        self.shape = game.encoding(model.features)
        self.description: str = lib.koridor_evaluator_describe(self.pointer).decode()

    def evaluate(self, states: State | States | Sequence[State]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """float32 [count, num_actions], the probabilities of the legal actions, and float32 [count, players], each
        player's points to be expected. Where a game is over the policy is 0 and the values are its outcome."""
        batch = states if isinstance(states, States) else States(self.game, [states] if isinstance(states, State) else states)
        policy = np.empty((len(batch), self.game.num_actions), np.float32)
        values = np.empty((len(batch), self.game.players), np.float32)
        lib.koridor_evaluate_states(self.pointer, batch.pointer, len(batch), pointer_to(policy), pointer_to(values))
        return policy, values

    def evaluate_encoded(
        self, planes: npt.NDArray[np.float32], scalars: npt.NDArray[np.float32]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """The network itself: [count, planes, rows, columns] and [count, scalars] in, logits [count, policy_size] and
        probabilities [count, players + 1] out, both as the player to move sees them."""
        planes = np.ascontiguousarray(planes, np.float32)
        scalars = np.ascontiguousarray(scalars, np.float32)
        count = len(planes)
        expected = (count, self.shape.planes, self.shape.rows, self.shape.columns)
        if planes.shape != expected or scalars.shape != (count, self.shape.scalars):
            raise ValueError(
                f"planes {list(planes.shape)} and scalars {list(scalars.shape)}, expected {list(expected)} and "
                f"{[count, self.shape.scalars]}"
            )
        policy = np.empty((count, self.shape.policy_size), np.float32)
        value = np.empty((count, self.shape.value_size), np.float32)
        lib.koridor_evaluate(
            self.pointer, count, pointer_to(planes), pointer_to(scalars), pointer_to(policy), pointer_to(value)
        )
        return policy, value
