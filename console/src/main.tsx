/** Starts the console in the page that the Worker serves. */
import { StrictMode, startTransition } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { prepareScreen } from "./screens.ts";
import { applyTheme, readTheme } from "./shell/theme.ts";

/** Milliseconds that the frame waits for its screen, so that both are drawn together. The page has already named the file to the browser. */
const PATIENCE = 500;

async function start(root: HTMLElement): Promise<void> {
  const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE));
  await Promise.race([prepareScreen(location.pathname), patience]);
  // A transition is drawn in slices, between which a slow processor answers its user.
  startTransition(() => createRoot(root).render(<StrictMode children={<App />} />));
}

applyTheme(readTheme());
const root = document.getElementById("root");
if (root !== null) void start(root);
