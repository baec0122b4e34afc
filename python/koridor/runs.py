"""What a training run says of itself: its figures, models and shards; and a picture of them (matplotlib)."""

from __future__ import annotations

import json
import os
import pathlib
import re
from typing import Any

import numpy as np
import numpy.typing as npt

from koridor.models import Model
from koridor.shards import Shard, read_shards


class Run:
    """A run directory, as `koridor train --run DIR` made it. Reading it disturbs no training."""

    def __init__(self, path: str | os.PathLike[str]):
        self.path = pathlib.Path(path)
        if not (self.path / "figures.jsonl").is_file():
            raise FileNotFoundError(f"{self.path} is no run: it has no figures.jsonl")

    @property
    def figures(self) -> list[dict[str, Any]]:
        """One object per generation, in order, by the names of train/run/README.md. Any entry may be missing.
        A line that is no JSON is left out; the checksums of the others are not looked at."""
        lines = []
        for text in (self.path / "figures.jsonl").read_bytes().split(b"\n"):
            try:
                line = json.loads(text)
            except ValueError:
                continue  # a damaged line, which the run itself writes anew
            if isinstance(line, dict):
                lines.append(line)
        return lines

    def series(self, name: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """The generations that have a figure, and its values: `series("training.losses.policy")`; empty where none has."""
        generations, values = [], []
        for line in self.figures:
            value: Any = line
            for part in name.split("."):
                value = value.get(part) if isinstance(value, dict) else None
            if isinstance(value, (int, float)) and "generation" in line:
                generations.append(line["generation"])
                values.append(float(value))
        return np.array(generations, np.int64), np.array(values)

    @property
    def generations(self) -> list[int]:
        """Those that have a model."""
        # Other files stand beside them: exports such as gen-0001.int8.koridor.
        names = (re.fullmatch(r"gen-(\d{4,})\.koridor", path.name) for path in (self.path / "models").glob("gen-*"))
        return sorted(int(name[1]) for name in names if name)

    def model(self, generation: int | None = None) -> Model:
        """The model of a generation, or the newest."""
        number = self.generations[-1] if generation is None else generation
        return Model(self.path / "models" / f"gen-{number:04d}.koridor")

    def shards(self, generation: int) -> Shard:
        """All games that the generation has played on the run's (first) board."""
        return read_shards(self.path / "shards" / f"gen-{generation:04d}")

    def plot(self, figure: Any = None) -> Any:
        """Elo with its intervals, losses, length of the games and speed, as a figure of matplotlib."""
        try:
            from matplotlib.figure import Figure
        except ImportError as error:
            raise ImportError("a picture needs matplotlib (Debian: python3-matplotlib)") from error
        figure = figure or Figure(figsize=(10, 7), layout="constrained")
        elo, losses, plies, speed = figure.subplots(2, 2).flat
        generations, ratings = self.series("rating.elo")
        elo.errorbar(generations, ratings, self.series("rating.error95")[1], marker="o", capsize=3)
        elo.set_title("Elo, with 95% intervals")
        for head in sorted({head for line in self.figures for head in line.get("training", {}).get("losses", {})}):
            losses.plot(*self.series(f"training.losses.{head}"), label=head)
        losses.set_title("losses (nats)")
        losses.legend()
        plies.plot(*self.series("selfplay.plies"))
        plies.set_title("plies of a game")
        speed.plot(*self.series("selfplay.positions_per_second"), label="self-play, positions")
        speed.plot(*self.series("training.samples_per_second"), label="training, samples")
        speed.set_title("per second")
        speed.set_yscale("log")
        speed.legend()
        for axes in (elo, losses, plies, speed):
            axes.set_xlabel("generation")
        return figure
