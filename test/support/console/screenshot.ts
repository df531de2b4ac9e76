/**
 * Saves screenshots in dist/screenshots/console for people to look at; no test compares them. A screenshot repaints the whole page,
 * so that no element keeps a colour of another theme.
 */
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Page } from "playwright-core";
import type { Theme } from "./console-page.ts";

const FOLDER = resolve(import.meta.dirname, "../../../dist/screenshots/console");

export interface Look {
  readonly page: Page;
  readonly theme: Theme;
  /** CSS pixels. */
  readonly width: number;
}

/** Saved as `<name>-<theme>-<width>.png`, the whole page. */
export async function screenshot({ page, theme, width }: Look, name: string) {
  mkdirSync(FOLDER, { recursive: true });
  await page.screenshot({ path: join(FOLDER, `${name}-${theme}-${width}.png`), fullPage: true });
}
