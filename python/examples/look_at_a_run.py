# %% [markdown]
# # Looking at a run
# Reads what `koridor train` wrote, shows its curves, looks at some of its games and plays one with its newest model. It
# trains nothing. Run it as a program, `python3 look_at_a_run.py runs/quickstart`, or cell by cell in an editor that
# knows `# %%`.

# %%
import pathlib
import sys

import numpy as np

import koridor

try:
    run = koridor.Run(sys.argv[1] if len(sys.argv) > 1 else "runs/quickstart")
except OSError as error:
    sys.exit(str(error))
print(f"libkoridor {koridor.version()} with {', '.join(koridor.backends())}; {run.path}: {len(run.generations)} models")

# %% [markdown]
# ## Its curves
# `Run.series` has every figure of `figures.jsonl` by its name. With matplotlib there is a picture of the main ones.

# %%
generations, elo = run.series("rating.elo")
error = run.series("rating.error95")[1]
for generation, rating, half in zip(generations, elo, error):
    bar = "#" * int(np.interp(rating, [elo.min(), elo.max()], [1, 40]))
    print(f"gen-{generation:04d} {rating:6.0f} +-{half:3.0f}  {bar}")

try:
    picture = pathlib.Path("run.png")
    run.plot().savefig(picture)
    print(f"{picture} shows Elo, losses, lengths and speeds")
except ImportError as error:
    print(f"no picture: {error}")

# %% [markdown]
# ## Its games
# A shard is a table of plies. Here: how often the first player won, and how sure the search was as the game went on.

# %%
played = max(int(path.name.removeprefix("gen-")) for path in (run.path / "shards").glob("gen-*") if any(path.glob("*.h5")))
shard = run.shards(played)
game = shard.rules()
outcome = shard.outcome_of_ply()
searched = shard.ply["policy_count"] > 0
error = np.abs(shard.ply["value"][:, 0] - outcome[:, 0])[searched]
place = (np.arange(shard.plies) - shard.game["first_ply"].astype(np.int64)[shard.game_of_ply()])[searched]
length = shard.game["plies"].astype(np.int64)[shard.game_of_ply()][searched]
print(f"{shard.games} games of {game.name} by generation {played}: the first player has {shard.game['outcome'][:, 0].mean():.1%}")
for begin in np.arange(0, 1, 0.25):
    part = (place / length >= begin) & (place / length < begin + 0.25)
    print(f"  {begin:4.0%} of the game: the search's value is off by {error[part].mean():.3f}")

# %% [markdown]
# ## What its network says
# Evaluating many positions at once: the policy's entropy, and how often its first choice is what the search preferred.

# %%
model = run.model()
rows = np.flatnonzero(searched)[:512]
states = koridor.States(game, [shard.state(int(row), game) for row in rows])
policy, values = model.evaluator(game).evaluate(states)
target = shard.policy_targets(game.num_actions, rows)
entropy = -(policy * np.log(np.maximum(policy, 1e-30))).sum(axis=1)
agrees = (policy.argmax(axis=1) == target.argmax(axis=1)).mean()
print(f"{model}: entropy {entropy.mean():.2f} nats, first choice as the search's in {agrees:.0%} of {len(rows)} positions")

# %% [markdown]
# ## A game against chance

# %%
random = np.random.default_rng(0)
session = koridor.Session(game, model)
while not (state := session.state).over:
    if state.player == 0:
        found = session.search(visits=100)
        session.play(found.best)
    else:
        session.play(int(random.choice(state.legal())))
print(session.state)
winner = session.state.outcome.winner
print("a draw" if winner is None else f"player {winner + 1} wins after {session.ply} plies; player 1 is the model")
