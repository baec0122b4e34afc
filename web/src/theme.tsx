// Light or dark: as the system has it, or as the person at this browser has chosen.
import { useEffect, useState } from "preact/hooks";

type Theme = "auto" | "light" | "dark";

function readTheme(): Theme {
  try {
    return (localStorage.getItem("theme") as Theme | null) ?? "auto";
  } catch {
    return "auto";
  }
}

export function ThemeSelect() {
  const [theme, setTheme] = useState<Theme>(readTheme);
  useEffect(() => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    try {
      localStorage.setItem("theme", theme);
    } catch {
      // A browser that keeps nothing: the choice lasts as long as the page.
    }
  }, [theme]);
  return (
    <label class="theme">
      <span class="visually-hidden">Colours</span>
      <select value={theme} onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
        <option value="auto">system</option>
        <option value="light">light</option>
        <option value="dark">dark</option>
      </select>
    </label>
  );
}
