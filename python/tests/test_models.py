"""Models, evaluators and sessions."""

import gc
import os
import signal
import threading

import numpy as np
import pytest

import koridor


def test_a_model_describes_itself(wall, models):
    assert wall.game_name == "quoridor:5x5,walls=3"
    assert (wall.family, wall.players, wall.generation, wall.features) == ("wall", 2, 0, koridor.Features.DISTANCES)
    again = koridor.Model((models / "wall.koridor").read_bytes(), "bytes of mine")
    assert again.channels == wall.channels
    with pytest.raises(koridor.KoridorError, match="half: ") as raised:
        koridor.Model((models / "wall.koridor").read_bytes()[:500], "half")
    assert raised.value.status == "KORIDOR_BAD_MODEL"


@pytest.mark.parametrize("which", ["wall", "go"])
def test_evaluating_states_and_encodings_agree(which, request):
    model = request.getfixturevalue(which)
    game = model.game()
    states = koridor.States(game, 10)
    states.play_randomly(6, seed=1)
    policy, values = model.evaluate(states)
    np.testing.assert_allclose(policy.sum(axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(values.sum(axis=1), 1, atol=1e-5)
    evaluator = model.evaluator(max_batch=3)
    logits, value = evaluator.evaluate_encoded(*states.encode(features=model.features))
    mask, indices, players = states.legal_mask(), states.policy_indices(), states.players()
    for row in range(len(states)):
        legal = np.flatnonzero(mask[row])
        weights = np.exp(logits[row, indices[row, legal]])
        np.testing.assert_allclose(policy[row, legal], weights / weights.sum(), atol=1e-5)
        assert not policy[row, ~mask[row]].any()
        np.testing.assert_allclose(values[row, players[row]], value[row, 0] + value[row, -1] / 2, atol=1e-6)
    np.testing.assert_array_equal(model.evaluate(states[3])[0][0], policy[3])
    np.testing.assert_array_equal(model.evaluate([states[3], states[4]])[1], values[3:5])
    with pytest.raises(ValueError, match="expected"):
        evaluator.evaluate_encoded(np.zeros((1, 1, 5, 5), np.float32), np.zeros((1, 1), np.float32))


def test_a_model_of_another_game_is_refused(go):
    with pytest.raises(koridor.KoridorError, match="family") as raised:
        go.evaluator(koridor.Game("quoridor"))
    assert raised.value.status == "KORIDOR_BAD_MODEL"


def test_a_session_plays_and_searches(wall):
    session = koridor.Session(wall.game(), wall, memory_mebibytes=64)
    found = session.search(visits=64, lines=2)
    assert found.best == found.candidates[0].action
    assert found.best_text == found.principal_variation[0]
    assert len(found.lines) == 2 and found.lines[1][0] == found.candidates[1].text
    assert len(found.candidates) == len(session.state.legal())
    assert sum(candidate.policy for candidate in found.candidates) == pytest.approx(1, abs=1e-4)
    assert sum(found.values) == pytest.approx(1, abs=1e-5)
    assert found.ownership is None
    session.play(found.best)
    session.play(session.state.text(session.state.legal()[0]))
    assert session.ply == 2 and len(session.moves) == 2
    session.undo()
    assert session.ply == 1 and len(session.moves) == 2
    session.redo()
    assert session.ply == 2
    kept = session.state
    session.restart()
    assert session.ply == 0
    session.restart(kept)
    assert session.state.key == kept.key
    assert session.picture()["game"] == wall.game_name
    session.search()
    assert session.analysis_picture()


def test_a_level_chooses(wall):
    session = koridor.Session(wall.game(), wall, memory_mebibytes=64)
    assert session.choose("beginner") in session.state.legal()
    alone = session.choose("hard")
    session.search(visits=200)
    assert session.choose("hard") == alone
    with pytest.raises(koridor.KoridorError, match="beginner"):
        session.choose("god")


def test_ownership(go):
    found = koridor.Session(go.game(), go, memory_mebibytes=64).search(visits=8, ownership=True)
    assert found.ownership.shape == (5, 5)
    assert (abs(found.ownership) <= 1).all()


def test_a_search_is_stopped(wall):
    session = koridor.Session(wall.game(), wall, memory_mebibytes=64)
    begun = threading.Event()

    def progress(nodes, values, best):
        assert nodes > 0 and len(values) == 2 and best >= 0
        begun.set()

    def stop():
        begun.wait()
        with pytest.raises(koridor.KoridorError, match="one at a time") as raised:
            session.play("c4")
        assert raised.value.status == "KORIDOR_BUSY"
        session.stop()

    other = threading.Thread(target=stop)
    other.start()
    assert session.search(infinite=True, progress=progress, report_seconds=0.01).nodes > 0
    other.join()
    assert session.search(infinite=True, progress=lambda *known: True, report_seconds=0.001).nodes > 0

    def fail(*known):
        raise RuntimeError("of the caller")

    with pytest.raises(RuntimeError, match="of the caller"):
        session.search(infinite=True, progress=fail, report_seconds=0.001)


@pytest.mark.parametrize("progress", [None, lambda *known: None])
def test_ctrl_c_ends_a_search(wall, progress):
    session = koridor.Session(wall.game(), wall, memory_mebibytes=64)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        session.search(infinite=True, progress=progress, report_seconds=0.01)
    timer.join()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert session.search(visits=200).visits >= 100, "the next search is not stopped"


def test_a_model_closes_what_it_keeps(models):
    live = koridor._library.lib.koridor_live_objects
    gc.collect()
    before = live()
    model = koridor.Model(models / "wall.koridor")
    start = model.game().start()
    model.evaluate(start)
    model.close()
    start.close()
    assert live() <= before + 1, "the game at most"
    with pytest.raises(koridor.KoridorError, match="closed"):
        model.evaluate(start)


def test_a_stop_that_came_too_late_is_forgotten(wall):
    session = koridor.Session(wall.game(), wall, memory_mebibytes=64)
    session.stop()
    session.clear_stop()
    assert session.search(visits=200).visits >= 100
    session.stop()
    assert session.search(visits=200).visits < 100


def test_any_thread_may_evaluate(wall):
    start = wall.game().start()
    expected = wall.evaluate(start)[0]
    results = []

    def evaluate():
        for _ in range(200):
            results.append(wall.evaluate(start)[0])

    threads = [threading.Thread(target=evaluate) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 400
    assert all((result == expected).all() for result in results)


def test_a_model_is_freed_with_its_last_name(models):
    live = koridor._library.lib.koridor_live_objects
    gc.disable()
    try:
        before = live()
        model = koridor.Model(models / "wall.koridor")
        model.evaluate(model.game().start())
        del model
        assert live() == before
    finally:
        gc.enable()


def test_a_path_may_be_no_text(models, tmp_path):
    path = os.fsencode(tmp_path) + b"/gen-\xff.koridor"
    with open(path, "wb") as file:
        file.write((models / "wall.koridor").read_bytes())
    assert koridor.Model(os.fsdecode(path)).game_name


def test_a_session_without_a_model(wall):
    session = koridor.Session(wall.game())
    session.play("c4")
    with pytest.raises(koridor.KoridorError, match="no model"):
        session.search()
