/** Light or dark as the user selects it, otherwise as the system does. Stored for the next visit. */
import { openPageStorage } from "../api/page-storage.ts";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const storage = openPageStorage(() => localStorage);
const STORAGE_KEY = "twinedge console theme";

export function readTheme(): Theme {
  const kept = storage.getItem(STORAGE_KEY);
  return themes.find((theme) => theme === kept) ?? "system";
}

export function saveTheme(theme: Theme): void {
  if (theme === "system") storage.removeItem(STORAGE_KEY);
  else storage.setItem(STORAGE_KEY, theme);
  applyTheme(theme);
}

export function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
