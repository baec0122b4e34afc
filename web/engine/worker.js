// The engine behind messages: a page's worker, or a thread of Node. The page's side is client.js.
//
//   { id, method, arguments } -> { id, result } or { id, error: { status, message } }, and { id, report } before it
//   { cancel: id } ends an analysis
//
// Like `koridor serve` it keeps nothing of a game: every question names the whole line of moves. What it has searched it
// remembers, since the next question is mostly about a position near by.
import { KoridorError, Session, loadEngine } from "./index.js";

const SLICE_SECONDS = 0.1; // of an analysis, between which messages are read
const KEPT_SESSIONS = 2;

/** Lets waiting messages in. */
const pause = () => new Promise((done) => setTimeout(done, 0));

export class EngineServer {
  /** `post` sends a message to the page. */
  constructor(post) {
    this.post = post;
    this.models = new Map();
    this.sessions = new Map(); // by game and model: { session, moves }, the one used last at the end
    this.cancelled = new Set();
    this.queue = Promise.resolve();
  }

  receive(message) {
    if (message.cancel !== undefined) {
      this.cancelled.add(message.cancel);
      return;
    }
    this.queue = this.queue.then(() => this.answer(message));
  }

  async answer({ id, method, arguments: given }) {
    try {
      const allowed = ["start", "addModel", "info", "position", "play", "choose", "analyze"];
      if (!allowed.includes(method)) throw new KoridorError("KORIDOR_INVALID_ARGUMENT", `no method ${method}`);
      this.post({ id, result: await this[method](...given, id) });
    } catch (error) {
      this.post({ id, error: { status: error.status ?? "KORIDOR_INTERNAL", message: error.message } });
    } finally {
      this.cancelled.delete(id);
    }
  }

  async start(source) {
    this.engine = await loadEngine(source);
    return { version: this.engine.version, backends: this.engine.backends };
  }

  addModel(name, bytes) {
    const model = this.engine.model(bytes, name);
    this.models.get(name)?.free();
    this.models.set(name, model);
    return { name, game: model.game, generation: model.generation };
  }

  info() {
    const games = this.engine.games().map(({ id, title, variant }) => {
      const game = this.engine.game(variant);
      const { family, players, rules } = game;
      game.free();
      return { id, title, variant, family, players, rules };
    });
    const models = [...this.models].map(([name, model]) => ({ id: name, name, game: model.game }));
    return { version: this.engine.version, games, models };
  }

  position(line) {
    return this.at(line).picture();
  }

  play(line, text) {
    const session = this.at(line);
    const entry = this.sessions.get(this.key(line, null));
    try {
      session.play(text);
    } catch (error) {
      const reason = { KORIDOR_ILLEGAL_ACTION: "illegal", KORIDOR_GAME_OVER: "game_over" }[error.status];
      if (!reason) throw error;
      return { refusal: { reason, message: error.message } };
    }
    const state = this.stateBefore(session);
    entry.moves = [...line.moves.slice(0, line.ply), state];
    return { picture: session.picture() };
  }

  async choose(line, { player = "model", model, visits = 400 }) {
    if (player === "random") {
      const state = this.at(line).state();
      const legal = state.legal();
      const text = state.text(legal[Math.floor(Math.random() * legal.length)]);
      state.free();
      return { text, resigns: false };
    }
    const session = this.at(line, model);
    const found = session.search({ visits });
    const state = session.state();
    const text = state.text(found.best);
    state.free();
    return { text, resigns: false, value: found.values[found.player] };
  }

  /** In slices, so that a cancellation is heard; the tree goes on growing. */
  async analyze(line, model, limits, id) {
    const session = this.at(line, model);
    const begun = performance.now();
    for (;;) {
      const found = session.search({
        seconds: SLICE_SECONDS,
        nodes: limits.visits ?? 0,
        lines: limits.lines ?? 1,
        ownership: limits.ownership ?? false,
      });
      const picture = session.analysisPicture();
      const seconds = (performance.now() - begun) / 1000;
      const over =
        found.proven || (limits.visits && found.nodes >= limits.visits) || (limits.seconds && seconds >= limits.seconds);
      if (over || this.cancelled.has(id)) return picture;
      this.post({ id, report: picture });
      await pause();
      if (this.cancelled.has(id)) return picture;
    }
  }

  key(line, model) {
    return JSON.stringify([line.game, model]);
  }

  /** A session in the line's position. */
  at(line, model = null) {
    if (line.start) throw new KoridorError("KORIDOR_INVALID_ARGUMENT", "positions set up by hand need `koridor serve`");
    const key = this.key(line, model);
    let entry = this.sessions.get(key);
    if (!entry) {
      const network = model === null ? null : this.models.get(model);
      if (network === undefined) throw new KoridorError("KORIDOR_INVALID_ARGUMENT", `there is no model ${model}`);
      const game = this.engine.game(line.game);
      entry = { session: new Session(game, network), moves: [] };
      game.free();
    }
    this.sessions.delete(key);
    this.sessions.set(key, entry);
    for (const [old, { session }] of this.sessions) {
      if (this.sessions.size <= KEPT_SESSIONS) break;
      this.sessions.delete(old);
      session.free();
    }
    let same = 0;
    while (same < entry.moves.length && entry.moves[same] === line.moves[same]) ++same;
    if (same < line.moves.length) {
      entry.session.goTo(same);
      entry.moves.length = same;
      for (const move of line.moves.slice(same)) {
        entry.session.play(move);
        entry.moves.push(move);
      }
    } else if (entry.moves.length > same) {
      entry.session.goTo(same);
    }
    entry.session.goTo(line.ply);
    return entry.session;
  }

  /** The text of the session's last move. */
  stateBefore(session) {
    const moves = session.moves;
    const ply = session.ply;
    session.goTo(ply - 1);
    const state = session.state();
    const text = state.text(moves[ply - 1]);
    state.free();
    session.goTo(ply);
    return text;
  }
}

// In a worker of a page; Node's tests make an EngineServer themselves.
if (typeof WorkerGlobalScope !== "undefined" && self instanceof WorkerGlobalScope) {
  const server = new EngineServer((message) => self.postMessage(message));
  self.onmessage = (event) => server.receive(event.data);
}
