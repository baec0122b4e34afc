// The page as a whole: what is shown follows the part of the address behind "#".
import { useEffect, useRef, useState } from "preact/hooks";
import { type Backend, type Info, patiently } from "./backend";
import { Play } from "./play";
import { Runs } from "./run";
import { ThemeSelect } from "./theme";
import { messageOf } from "./use_message";

function place(): { name: string; query: URLSearchParams } {
  const [name = "", query = ""] = location.hash.slice(1).split("?", 2);
  return { name, query: new URLSearchParams(query) };
}

/** The newer list, and the models that are gone from it: a game may still be played against one. */
function withOlder(newer: Info, older: Info): Info {
  const gone = older.models.filter((model) => !newer.models.some((m) => m.id === model.id));
  return { ...newer, models: [...newer.models, ...gone] };
}

export function App({ backend }: { backend: Backend }) {
  const [info, setInfo] = useState<Info | null>(null);
  const [message, setMessage] = useState("");
  const [here, setHere] = useState(place);
  // A look at the runs leaves the game where it is: it stays in the page, hidden, until a link names another one. The
  // game's own address, to which the browser's "back" leads, names no other.
  const [opened, setOpened] = useState(() => ({ query: here.query, times: 0 }));
  const ownAddress = useRef(here.query.has("game") ? location.hash : "");

  useEffect(() => {
    const leave = new AbortController();
    const found = (all: Info) => {
      setMessage("");
      setInfo(all);
    };
    patiently(() => backend.info(), leave.signal, setMessage).then(
      found,
      (error) => leave.signal.aborted || setMessage(messageOf(error)),
    );
    return () => leave.abort();
  }, [backend]);
  useEffect(() => {
    const onChange = () => {
      const next = place();
      setHere(next);
      // "Play" leads to the game that is there.
      if (next.name === "play" && !next.query.has("game") && ownAddress.current) {
        history.replaceState(null, "", ownAddress.current);
      }
      if (!next.query.has("game") || location.hash === ownAddress.current) return;
      // From here on the address is that of the game which opens, so that "back" is heard as another one's again.
      ownAddress.current = location.hash;
      setOpened(({ times }) => ({ query: next.query, times: times + 1 }));
    };
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);

  const runs = info && backend.run && info.runs.length > 0;
  const known = here.name === "play" || (here.name === "run" && runs);
  const name = known ? here.name : runs && info.models.length === 0 ? "run" : "play";
  const played = useRef(false);
  if (info && name === "play") played.current = true;
  const keepAddress = (hash: string) => {
    history.replaceState(null, "", hash);
    ownAddress.current = location.hash;
  };
  const askAgain = () => {
    backend.info().then(
      (newer) => setInfo((older) => older && withOlder(newer, older)),
      () => {}, // the models that are known can still be played
    );
  };
  return (
    <>
      <header>
        <h1>Koridor</h1>
        <nav aria-label="Pages">
          <a href="#play" aria-current={name === "play" ? "page" : undefined}>Play</a>
          {runs && <a href="#run" aria-current={name === "run" ? "page" : undefined}>Runs</a>}
        </nav>
        <ThemeSelect />
      </header>
      {message && (
        <main>
          <div class="card" role="alert">
            <p class="objection">{message}</p>
            <button onClick={() => location.reload()}>Try again</button>
          </div>
        </main>
      )}
      {!info && !message && <main><p class="quiet" role="status">Loading</p></main>}
      {info && played.current && (
        <div hidden={name !== "play"}>
          <Play
            key={opened.times}
            backend={backend}
            info={info}
            query={opened.query}
            visible={name === "play"}
            onAddress={keepAddress}
            onNewGame={askAgain}
          />
        </div>
      )}
      {info && name === "run" && runs && <Runs backend={backend} info={info} />}
    </>
  );
}
