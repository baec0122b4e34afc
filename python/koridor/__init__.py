"""Koridor's games, models and searches for Python, over the C library libkoridor.

    import koridor

    game = koridor.Game("quoridor:5x5,walls=3")
    session = koridor.Session(game, koridor.Model("runs/quickstart/models/gen-0040.koridor"))
    found = session.search(visits=400)
    print(found.best_text, found.values)

`States` holds many positions at once for research: legal masks, encodings and results are numpy arrays, and nothing is
copied state by state. `read_shards` and `Run` read what a training run wrote.
"""

from koridor._library import KoridorError, abi_version, backends, library_path, version
from koridor.games import Encoding, Features, Game, Outcome, State, registered_games
from koridor.models import Evaluator, Model
from koridor.runs import Run
from koridor.sessions import Analysis, Candidate, Session
from koridor.shards import Shard, read_shards
from koridor.states import States

__all__ = [
    "Analysis", "Candidate", "Encoding", "Evaluator", "Features", "Game", "KoridorError", "Model", "Outcome", "Run",
    "Session", "Shard", "State", "States", "abi_version", "backends", "library_path", "read_shards", "registered_games",
    "version",
]
__version__ = "0.1.0"
