// The page as a whole: what is shown follows the part of the address behind "#".
import { useEffect, useRef, useState } from "preact/hooks";
import type { Backend, Info } from "./backend";
import { Play } from "./play";
import { Runs } from "./run";

type Theme = "auto" | "light" | "dark";

function place(): { name: string; query: URLSearchParams } {
  const [name = "", query = ""] = location.hash.slice(1).split("?", 2);
  return { name, query: new URLSearchParams(query) };
}

function readTheme(): Theme {
  try {
    return (localStorage.getItem("theme") as Theme | null) ?? "auto";
  } catch {
    return "auto";
  }
}

export function App({ backend }: { backend: Backend }) {
  const [info, setInfo] = useState<Info | null>(null);
  const [message, setMessage] = useState("");
  const [here, setHere] = useState(place);
  const [theme, setTheme] = useState<Theme>(readTheme);

  useEffect(() => {
    backend.info().then(setInfo, (error) => setMessage((error as Error).message));
  }, [backend]);
  useEffect(() => {
    const onChange = () => setHere(place());
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  useEffect(() => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    try {
      localStorage.setItem("theme", theme);
    } catch {
      // A browser that keeps nothing: the choice lasts as long as the page.
    }
  }, [theme]);

  const runs = info && backend.run && info.runs.length > 0;
  const name = here.name || (runs && info.models.length === 0 ? "run" : "play");
  // A look at the runs leaves the game where it is: it stays in the page, hidden, until a link names another one.
  const game = useRef<URLSearchParams | null>(null);
  if (info && name === "play" && (!game.current || here.query.has("game"))) game.current = here.query;
  return (
    <>
      <header>
        <h1>Koridor</h1>
        <nav aria-label="Pages">
          <a href="#play" aria-current={name === "play" ? "page" : undefined}>Play</a>
          {runs && <a href="#run" aria-current={name === "run" ? "page" : undefined}>Runs</a>}
        </nav>
        <label class="theme">
          <span class="visually-hidden">Colours</span>
          <select value={theme} onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
            <option value="auto">as the system</option>
            <option value="light">light</option>
            <option value="dark">dark</option>
          </select>
        </label>
      </header>
      {message && <main><p class="card objection" role="alert">{message}</p></main>}
      {!info && !message && <main><p class="quiet" role="status">Loading</p></main>}
      {info && game.current && (
        <div hidden={name !== "play"}>
          <Play key={game.current.toString()} backend={backend} info={info} query={game.current} />
        </div>
      )}
      {info && name === "run" && runs && <Runs backend={backend} info={info} />}
    </>
  );
}
