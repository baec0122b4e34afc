// Saving a game to a file, loading one, and the link that shares it.
import { useState } from "preact/hooks";
import type { Backend, Line, SavedGame } from "./backend";
import type { Ending } from "./ending";
import { useLeave } from "./use_leave";
import { messageOf } from "./use_message";
import { counted } from "./words";

interface GameFilesProps {
  backend: Backend;
  line: Line;
  ending: Ending;
  names: string[];
  link: string;
  /** Fails where the line is refused. `signal`: the form is gone. `saved`: the game as the record has it. */
  onLoad: (line: Line, signal: AbortSignal, saved: SavedGame) => Promise<void>;
}

function download(name: string, text: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** False where there is no clipboard, as on pages that come neither by HTTPS nor from this machine, or it refuses. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Once the field is there, so that Ctrl-C takes its text. */
function select(field: HTMLInputElement | null) {
  field?.focus();
}

export function GameFiles({ backend, line, ending, names, link, onLoad }: GameFilesProps) {
  const [text, setText] = useState("");
  const [games, setGames] = useState<SavedGame[]>([]);
  const [message, setMessage] = useState("");
  const [linkShown, setLinkShown] = useState(false);
  const leave = useLeave();
  const attempt = (work: () => Promise<void>) => {
    setMessage("");
    work().catch((error) => setMessage(messageOf(error)));
  };
  const save = () =>
    attempt(async () => {
      const saved = await backend.write(line, names, ending.resigned, ending.recorded || undefined);
      download(`game.${saved.ending}`, saved.text);
      setText(saved.text);
    });
  const open = (saved: SavedGame) => {
    const { game, start, moves } = saved;
    return onLoad({ game, ...(start ? { start } : {}), moves, ply: moves.length }, leave, saved);
  };
  const load = (record: string) =>
    attempt(async () => {
      setGames([]);
      const found = await backend.read(record, line.game);
      if (found.length === 1) await open(found[0]!);
      else setGames(found);
    });
  return (
    <section class="card form" aria-label="Save, load, share">
      <div class="row wrap">
        <button onClick={save}>Save to a file</button>
        <button
          onClick={() =>
            attempt(async () => {
              const copied = await copy(link);
              setLinkShown(!copied);
              setMessage(copied ? "The link is in the clipboard." : "");
            })
          }
        >
          Copy a link
        </button>
        <label class="file">
          Load a file
          <input
            type="file"
            accept=".txt,.sgf,text/plain"
            onChange={(event) => {
              const file = event.currentTarget.files?.[0];
              // The same file chosen again is a change, too: it may have been mended.
              event.currentTarget.value = "";
              if (file) attempt(async () => load(await file.text()));
            }}
          />
        </label>
      </div>
      {linkShown && (
        <label>
          Copy this link
          <input type="text" readonly value={link} ref={select} onFocus={(event) => event.currentTarget.select()} />
        </label>
      )}
      <label>
        A record: moves as text, or SGF
        <textarea rows={5} value={text} onInput={(event) => setText(event.currentTarget.value)} spellcheck={false} />
      </label>
      <button onClick={() => load(text)} disabled={!text.trim()}>Load this text</button>
      {games.map((game, i) => (
        <button class="link" onClick={() => attempt(() => open(game))}>
          Game {i + 1}: {game.names.filter((n) => n).join(" - ")} {game.result} ({counted(game.moves.length, "ply", "plies")})
        </button>
      ))}
      {message && <p role="status">{message}</p>}
    </section>
  );
}
