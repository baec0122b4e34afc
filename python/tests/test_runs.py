"""Shards and runs, in the formats of docs/formats.md."""

import json

import numpy as np
import pytest

import koridor

h5py = pytest.importorskip("h5py", reason="h5py is missing (Debian: python3-h5py)")


def write_shard(path, game, games, seed):
    """A shard with random games and, for every second ply, a policy target over two actions."""
    random = np.random.default_rng(seed)
    states, actions, players, plies, outcomes = [], [], [], [], []
    for _ in range(games):
        state = game.start()
        begun = len(actions)
        while not state.over:
            states.append(state.pack())
            players.append(state.player)
            actions.append(int(random.choice(state.legal())))
            state.apply(actions[-1])
        plies.append(len(actions) - begun)
        outcomes.append(state.outcome.values)
    counts = np.where(np.arange(len(actions)) % 2 == 0, 2, 0)
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    with h5py.File(path, "w", userblock_size=512) as file:
        file.attrs.update({"format": "koridor-shard", "format_version": 2, "game": game.name, "generation": 7})
        file["game/number"] = np.arange(games, dtype=np.uint32)
        file["game/first_ply"] = np.concatenate([[0], np.cumsum(plies)[:-1]]).astype(np.uint32)
        file["game/plies"] = np.array(plies, np.uint16)
        file["game/outcome"] = np.array(outcomes, np.float32)
        file["ply/state"] = np.array(states, np.uint8)
        file["ply/action"] = np.array(actions, np.uint16)
        file["ply/player"] = np.array(players, np.uint8)
        file["ply/policy_first"] = first.astype(np.uint32)
        file["ply/policy_count"] = counts.astype(np.uint16)
        entries = np.repeat(np.array(actions, np.uint16), counts)
        entries[1::2] = (entries[1::2] + 1) % game.num_actions
        file["policy/action"] = entries
        file["policy/probability"] = np.tile(np.array([45535, 20000], np.uint16), len(entries) // 2)


@pytest.fixture()
def run(tmp_path):
    folder = tmp_path / "shards" / "gen-0007"
    folder.mkdir(parents=True)
    game = koridor.Game("quoridor:5x5,walls=1")
    for number in range(2):
        write_shard(folder / f"games-{number:06d}-000.h5", game, 3, number)
    lines = [
        {"generation": 0, "rating": {"elo": -450.0, "error95": 100.0}},
        {"generation": 1, "training": {"losses": {"policy": 2.0}}, "selfplay": {"plies": 20.0}},
        {"generation": 2, "rating": {"elo": 10.5, "error95": 80.0}, "training": {"losses": {"policy": 1.5}}},
    ]
    damaged = b"\n{damaged\n[1]\n{\"rating\": {\"elo\": 1.0}}\n{\"generation\": \xff\x00"
    (tmp_path / "figures.jsonl").write_bytes("\n".join(map(json.dumps, lines)).encode() + damaged)
    return tmp_path


def test_shards_as_arrays(run):
    shard = koridor.Run(run).shards(7)
    assert (shard.variant, shard.generation, shard.games) == ("quoridor:5x5,walls=1", 7, 6)
    assert shard.plies == shard.game["plies"].sum() == len(shard.game_of_ply())
    game = shard.rules()
    # Every ply's state leads by its action to the next one's, across the joined files.
    for row in range(shard.games):
        first, count = int(shard.game["first_ply"][row]), int(shard.game["plies"][row])
        state = game.start()
        for ply in range(first, first + count):
            assert shard.state(ply, game).key == state.key
            assert shard.ply["player"][ply] == state.player
            assert shard.game_of_ply()[ply] == row
            state.apply(int(shard.ply["action"][ply]))
        np.testing.assert_array_equal(shard.outcome_of_ply()[first], state.outcome.values)
    target = shard.policy_targets(game.num_actions)
    assert target.shape == (shard.plies, game.num_actions)
    with_target = shard.ply["policy_count"] > 0
    np.testing.assert_allclose(target.sum(axis=1), with_target.astype(np.float32), atol=1e-5)
    rows = np.flatnonzero(with_target)
    np.testing.assert_allclose(target[rows, shard.ply["action"][rows]], 45535 / 65535, atol=1e-6)
    np.testing.assert_array_equal(shard.policy_targets(game.num_actions, rows[-3:]), target[rows[-3:]])
    np.testing.assert_array_equal(shard.policy_targets(game.num_actions, with_target), target[rows])
    assert shard.policy_targets(game.num_actions, []).shape == (0, game.num_actions)


def test_what_is_no_shard(run, tmp_path):
    with pytest.raises(FileNotFoundError, match="no shards"):
        koridor.read_shards(tmp_path)
    with pytest.raises(FileNotFoundError, match="gen-0099: there is no such"):
        koridor.Run(run).shards(99)
    path = tmp_path / "other.h5"
    with h5py.File(path, "w") as file:
        file["data"] = [1, 2, 3]
    with pytest.raises(ValueError, match="no shard"):
        koridor.read_shards(path)
    with h5py.File(path, "w") as file:
        file.attrs.update({"format": "koridor-shard", "format_version": 3})
    with pytest.raises(ValueError, match="version 3 of the format; known are 1 to 2"):
        koridor.read_shards(path)


def test_figures_of_a_run(run):
    known = koridor.Run(run)
    assert [line.get("generation") for line in known.figures] == [0, 1, 2, None]
    generations, elo = known.series("rating.elo")
    assert generations.tolist() == [0, 2] and elo.tolist() == [-450.0, 10.5]
    assert known.series("training.losses.policy")[1].tolist() == [2.0, 1.5]
    assert known.series("no.such.figure")[0].size == 0
    with pytest.raises(FileNotFoundError, match="no run"):
        koridor.Run(run / "shards")


def test_exports_beside_the_models_are_none_of_them(run):
    folder = run / "models"
    folder.mkdir()
    for name in ("gen-0000", "gen-0012", "gen-0012.int8", "gen-0012.copy", "gen-x", "other"):
        (folder / f"{name}.koridor").write_bytes(b"")
    (folder / "gen-0013.koridor.4711-host.tmp").write_bytes(b"")
    assert koridor.Run(run).generations == [0, 12]


def test_a_picture_of_a_run(run):
    pytest.importorskip("matplotlib", reason="matplotlib is missing (Debian: python3-matplotlib)")
    figure = koridor.Run(run).plot()
    assert [axes.get_title() for axes in figure.axes][0].startswith("Elo")
