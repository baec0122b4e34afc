"""The games that a run has played, as arrays: its shards, which are HDF5 files (docs/formats.md). Needs h5py."""

from __future__ import annotations

import os
import pathlib
from dataclasses import dataclass
from typing import Any, Iterable

import numpy as np
import numpy.typing as npt

from koridor.games import Game, State

_VERSIONS = range(1, 3)  # of the format (docs/formats.md)


@dataclass(frozen=True)
class Shard:
    """Finished games of one variant. `game` and `ply` hold arrays by the names of docs/formats.md, with a row per game
    and per ply; `policy` holds the entries of all policy targets."""

    variant: str
    generation: int
    attributes: dict[str, Any]
    game: dict[str, npt.NDArray[Any]]
    ply: dict[str, npt.NDArray[Any]]
    policy: dict[str, npt.NDArray[Any]]

    @property
    def games(self) -> int:
        return len(self.game["number"])

    @property
    def plies(self) -> int:
        return len(self.ply["action"])

    def rules(self) -> Game:
        return Game(self.variant)

    def state(self, ply: int, game: Game | None = None) -> State:
        """The position before a ply, without its past."""
        return (game or self.rules()).unpack(self.ply["state"][ply])

    def game_of_ply(self) -> npt.NDArray[np.int64]:
        """int64 [plies]: the row of `game` that each ply belongs to."""
        return np.repeat(np.arange(self.games), self.game["plies"])

    def outcome_of_ply(self) -> npt.NDArray[np.float32]:
        """float32 [plies, players]: each player's points at the end of the ply's game."""
        return self.game["outcome"][self.game_of_ply()]

    def policy_targets(self, num_actions: int, rows: npt.ArrayLike | None = None) -> npt.NDArray[np.float32]:
        """float32 [rows, num_actions]: the search's policy of each of these plies (all where None; by number, or as
        bool [plies]), which sums to 1; 0 where there was no full search (`ply["policy_count"]` is 0 there)."""
        chosen = np.arange(self.plies) if rows is None else np.asarray(rows)
        if chosen.dtype == np.bool_:
            chosen = np.flatnonzero(chosen)
        elif chosen.size == 0:
            chosen = chosen.astype(np.int64)
        counts = self.ply["policy_count"][chosen].astype(np.int64)
        first = self.ply["policy_first"][chosen].astype(np.int64)
        target = np.zeros((len(chosen), num_actions), np.float32)
        row = np.repeat(np.arange(len(chosen)), counts)
        entry = np.repeat(first - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts) + np.arange(counts.sum())
        target[row, self.policy["action"][entry]] = self.policy["probability"][entry] / np.float32(65535)
        return target


def _read(path: pathlib.Path) -> Shard:
    try:
        import h5py
    except ImportError as error:
        raise ImportError("reading shards needs h5py (Debian: python3-h5py; pip: h5py)") from error
    with h5py.File(path) as file:
        attributes = {
            key: value.decode() if isinstance(value, bytes) else value for key, value in file.attrs.items()
        }
        if attributes.get("format") != "koridor-shard":
            raise ValueError(f"{path} is no shard of Koridor")
        version = int(attributes["format_version"])
        if version not in _VERSIONS:
            raise ValueError(f"{path} has version {version} of the format; known are {_VERSIONS.start} to {_VERSIONS.stop - 1}")
        groups = {name: {key: values[...] for key, values in file[name].items()} for name in ("game", "ply", "policy")}
    return Shard(str(attributes["game"]), int(attributes["generation"]), attributes, **groups)


def read_shards(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> Shard:
    """A shard; or all shards of a folder (shards/gen-0007), or of a list, which are of one variant, as one."""
    if isinstance(paths, (str, os.PathLike)):
        path = pathlib.Path(paths)
        if not path.exists():
            raise FileNotFoundError(f"{path}: there is no such shard or folder")
        files = sorted(path.glob("*.h5")) if path.is_dir() else [path]
    else:
        files = [pathlib.Path(path) for path in paths]
    if not files:
        raise FileNotFoundError(f"{paths} holds no shards (*.h5)")
    shards = [_read(path) for path in files]
    if len(shards) == 1:
        return shards[0]
    variants = sorted({shard.variant for shard in shards})
    if len(variants) > 1:
        raise ValueError(f"these shards are of several games: {', '.join(variants)}")
    return _joined(shards)


def _joined(shards: list[Shard]) -> Shard:
    """All as one; places in other arrays are moved behind those of the shards before."""

    def join(group: str) -> dict[str, npt.NDArray[Any]]:
        parts = [getattr(shard, group) for shard in shards]
        common = [key for key in parts[0] if all(key in part for part in parts)]
        return {key: np.concatenate([part[key] for part in parts]) for key in common}

    game, ply, policy = join("game"), join("ply"), join("policy")
    before_plies = np.cumsum([0] + [shard.plies for shard in shards[:-1]])
    before_entries = np.cumsum([0] + [len(shard.policy["action"]) for shard in shards[:-1]])
    game["first_ply"] = game["first_ply"].astype(np.int64) + np.repeat(before_plies, [shard.games for shard in shards])
    ply["policy_first"] = ply["policy_first"].astype(np.int64) + np.repeat(before_entries, [shard.plies for shard in shards])
    return Shard(shards[0].variant, shards[0].generation, shards[0].attributes, game, ply, policy)
