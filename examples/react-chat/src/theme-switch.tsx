/** The theme: light, dark, or the system's. */
import { useEffect, useState } from "react";

const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];
const KEY = "hearth.theme";

export function ThemeSwitch() {
  const [theme, setTheme] = useState(keptTheme);
  useEffect(() => {
    keep(theme);
    document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  return (
    <label className="theme">
      <span className="visually-hidden">Colours</span>
      <select value={theme} onChange={(event) => setTheme(event.target.value as Theme)}>
        <option value="system">System</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}

/** A browser that blocks storage throws an error on reading. The theme then lasts until the page closes. */
function keptTheme(): Theme {
  try {
    return THEMES.find((each) => each === localStorage.getItem(KEY)) ?? "system";
  } catch {
    return "system";
  }
}

function keep(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The theme is not stored.
  }
}
