// Light or dark: as the system has it, or as the person at this browser has chosen.
import { useEffect, useState } from "preact/hooks";

const THEMES = ["auto", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];
/** Other pages of the same origin have keys of their own. */
const KEY = "koridor-theme";

const themeOf = (text: string | null): Theme => THEMES.find((theme) => theme === text) ?? "auto";

function readTheme(): Theme {
  try {
    return themeOf(localStorage.getItem(KEY));
  } catch {
    return "auto";
  }
}

function keepTheme(theme: Theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // A browser that keeps nothing: the choice lasts as long as the page.
  }
}

export function ThemeSelect() {
  const [theme, setTheme] = useState<Theme>(readTheme);
  useEffect(() => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }, [theme]);
  const choose = (chosen: Theme) => {
    setTheme(chosen);
    keepTheme(chosen);
  };
  return (
    <label class="theme">
      <span class="visually-hidden">Colours</span>
      <select value={theme} onChange={(event) => choose(themeOf(event.currentTarget.value))}>
        <option value="auto">system</option>
        <option value="light">light</option>
        <option value="dark">dark</option>
      </select>
    </label>
  );
}
