"""Games, states, and many states at once."""

import ctypes
import re

import numpy as np
import pytest

import koridor

GAME = "quoridor:5x5,walls=3"


def test_library_is_the_one_of_this_version():
    assert koridor.version() == koridor.__version__
    assert koridor.abi_version() == 1
    assert "uniform" in koridor.backends()


def test_header_and_bindings_have_the_same_functions():
    from pathlib import Path

    symbols = Path(__file__).resolve().parents[2] / "library" / "symbols.txt"
    bound = {*koridor._library._STATUS_FUNCTIONS, *koridor._library._OTHER_FUNCTIONS}
    assert bound == set(symbols.read_text().split())


def test_games_by_name():
    assert "quoridor" in koridor.registered_games()
    game = koridor.Game(GAME)
    assert (game.name, game.family, game.players, game.rows, game.columns) == (GAME, "wall", 2, 5, 5)
    assert game.rules["walls"] == "3"
    assert game.encoding().policy_size == game.num_actions
    with_ways = game.encoding(koridor.Features.DISTANCES | koridor.Features.WAYS)
    assert game.encoding(koridor.Features.NONE).planes < game.encoding().planes < with_ways.planes
    with pytest.raises(koridor.KoridorError, match="did you mean 'quoridor'") as raised:
        koridor.Game("quorridor")
    assert raised.value.status == "KORIDOR_INVALID_ARGUMENT"


def test_texts_are_whole_texts():
    with pytest.raises((ValueError, ctypes.ArgumentError), match="NUL"):
        koridor.Game(GAME + "\0junk")
    with pytest.raises((TypeError, ctypes.ArgumentError), match="a text is wanted, not None"):
        koridor.Game(None)
    game = koridor.Game(GAME)
    with pytest.raises((ValueError, ctypes.ArgumentError), match="NUL"):
        koridor.Session(game).play("c4\0zz")
    with pytest.raises((ValueError, ctypes.ArgumentError), match="NUL"):
        game.start().read("c4\0zz")


def test_a_game_by_hand():
    state = koridor.Game(GAME).start()
    assert (state.player, state.ply, state.over, state.outcome) == (0, 0, False, None)
    state.apply("c4")
    state.apply(state.read("c2"))
    assert (state.player, state.ply) == (0, 2)
    copy = state.copy()
    assert copy.key == state.key
    copy.apply(copy.legal()[0])
    assert copy.key != state.key
    assert copy.ply == 3 and state.ply == 2
    assert re.search("c", str(state))
    assert all(state.read(state.text(action)) == action for action in state)
    with pytest.raises(koridor.KoridorError, match="e9") as raised:
        state.apply("e9")
    assert raised.value.status == "KORIDOR_ILLEGAL_ACTION"
    assert state.game.unpack(state.pack()).key == state.key
    with pytest.raises(ValueError, match="notation"):
        state.board("french")


def test_closed_objects_are_refused():
    game = koridor.Game(GAME)
    state = game.start()
    game.close()
    assert state.legal()  # it keeps what it needs
    state.close()
    state.close()
    with pytest.raises(koridor.KoridorError, match="closed"):
        state.legal()


def test_everything_is_freed():
    before = koridor._library.lib.koridor_live_objects()
    states = koridor.States(koridor.Game(GAME), 50)
    assert koridor._library.lib.koridor_live_objects() == before + 51
    del states
    assert koridor._library.lib.koridor_live_objects() == before


def test_numbers_have_to_fit():
    game = koridor.Game(GAME)
    state = game.start()
    for number in (2**32 + 5, -(2**31) - 1, 2**31):
        with pytest.raises((OverflowError, ctypes.ArgumentError)):
            state.apply(number)
    with pytest.raises(TypeError):
        state.apply(17.7)
    with pytest.raises(TypeError):
        koridor.Session(game).play(17.7)
    assert state.ply == 0
    with pytest.raises(OverflowError, match="32 bits"):
        koridor.Session(game).search(visits=2**32)
    assert len(koridor.States(game, np.int64(3))) == 3
    assert len(koridor.States(game, (state for _ in range(2)))) == 2
    for seed in (-1, 2**64):
        with pytest.raises(OverflowError, match="seed"):
            koridor.Session(game, seed=seed)
        with pytest.raises(OverflowError, match="seed"):
            koridor.States(game, 2).play_randomly(3, seed)


def test_states_that_are_closed_are_refused():
    game = koridor.Game(GAME)
    states = koridor.States(game, 3)
    states[1].close()
    other = game.start()  # perhaps at the address of the closed one
    with pytest.raises(koridor.KoridorError, match="closed"):
        states.step([0, 0, 0])
    assert other.ply == 0


def test_states_are_all_of_one_game():
    small, large = koridor.Game("quoridor:3x3,walls=1"), koridor.Game("quoridor")
    with pytest.raises(ValueError, match="state 1 is of quoridor, expected quoridor:3x3,walls=1"):
        koridor.States(small, [small.start(), large.start()])


@pytest.mark.parametrize("name", [GAME, "quoridor4:5x5,walls=2", "go:5x5"])
def test_states_agree_with_single_states(name):
    game = koridor.Game(name)
    states = koridor.States(game, 16)
    states.play_randomly(5, seed=3)
    mask = states.legal_mask()
    assert mask.shape == (16, game.num_actions) and mask.dtype == np.bool_
    for index, state in enumerate(states.states):
        assert np.flatnonzero(mask[index]).tolist() == state.legal()
        assert states.players()[index] == state.player
    random = np.random.default_rng(1)
    plies = 0
    while not (over := states.outcomes()[0]).all():
        scores = random.random(mask.shape) * states.legal_mask()
        states.step(np.where(over, -1, scores.argmax(axis=1)))
        plies += 1
    assert 0 < plies <= game.max_plies
    values = states.outcomes()[1]
    np.testing.assert_allclose(values.sum(axis=1), 1, atol=1e-6)
    for index, state in enumerate(states.states):
        assert values[index].tolist() == list(state.outcome.values)
    assert (states.players() == -1).all() and not states.legal_mask().any()
    first = states[0].key
    states.reset(np.arange(16) != 0)
    assert states[0].key == first
    assert states[1].key == game.start().key
    for which in ([5], np.ones(15, np.bool_), np.arange(16)):
        with pytest.raises(ValueError, match="expected bool"):
            states.reset(which)


def test_results_go_into_the_callers_arrays():
    game = koridor.Game(GAME)
    states = koridor.States(game, 4)
    shape = game.encoding()
    planes = np.full((4, shape.planes, shape.rows, shape.columns), -1, np.float32)
    scalars = np.full((4, shape.scalars), -1, np.float32)
    assert states.encode(planes, scalars)[0] is planes
    assert (planes >= 0).all() and (planes[:, 0] == 1).all() and (scalars >= 0).all()
    mask = np.empty((4, game.num_actions), np.bool_)
    assert states.legal_mask(mask) is mask
    for wrong in (np.empty((3, game.num_actions), np.bool_), np.empty((4, game.num_actions), np.uint8), mask.T):
        with pytest.raises(ValueError, match="out is"):
            states.legal_mask(wrong)
    with pytest.raises(ValueError, match="shape"):
        states.step([0])
    with pytest.raises(koridor.KoridorError, match="state 2 of 4"):
        states.step([-1, -1, game.num_actions, -1])
    for cut in ([2**32 + 3] * 4, [3.9] * 4, [3.0] * 4, ["3"] * 4):
        with pytest.raises(ValueError):
            states.step(cut)
    states.step(np.array([-1, -1, -1, -1], np.int64))
    indices = states.policy_indices()
    assert sorted(indices[0].tolist()) == list(range(game.num_actions))
