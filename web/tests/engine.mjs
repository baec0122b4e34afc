// `koridor engine` as an independent opinion on what a model plays in a position.
import { spawn } from "node:child_process";

export function startEngine(koridor, game, model, level, options = []) {
  const go = game.startsWith("go");
  const child = spawn(koridor, ["engine", game, "--model", model, "--level", level, "--threads", "1", "--protocol", go ? "gtp" : "uci", ...options], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let text = "";
  let wake = () => {};
  child.stdout.on("data", (data) => {
    text += data;
    wake();
  });
  const until = async (pattern) => {
    for (;;) {
      const found = pattern.exec(text);
      if (found) {
        text = text.slice(found.index + found[0].length);
        return found;
      }
      await new Promise((resolve) => (wake = resolve));
    }
  };
  const say = (line) => child.stdin.write(line + "\n");
  return {
    /** The model's action after these moves. */
    async choose(moves) {
      if (go) {
        say("clear_board");
        await until(/= *[^\n]*\n\n/);
        for (const [i, move] of moves.entries()) {
          say(`play ${i % 2 ? "w" : "b"} ${move}`);
          await until(/= *[^\n]*\n\n/);
        }
        say(`reg_genmove ${moves.length % 2 ? "w" : "b"}`);
        return (await until(/= *(\S+)\n\n/))[1];
      }
      say("ucinewgame");
      say(`position startpos moves ${moves.join(" ")}`);
      say("go");
      return (await until(/bestmove (\S+)[^\n]*\n/))[1];
    },
    stop: () => child.kill(),
  };
}
