/** Checks a page in every look: light and dark, narrow and wide, forced colours, zoomed. */
import type { Page } from "playwright-core";
import { axeViolations } from "./axe.ts";
import type { Theme } from "./console-page.ts";
import { screenshot } from "./screenshot.ts";

/** CSS pixels. */
const HEIGHT = 800;
const NARROW = 320;
const ZOOMED = 640;

/** Consecutive looks differ in width: the page is repainted, and no colour of the other theme remains. */
const looks = (["light", "dark"] as const).flatMap((theme: Theme) => [1280, NARROW].map((width) => ({ theme, width })));

export async function drawn(page: Page): Promise<void> {
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
}

/** The outermost elements that extend beyond the page's width. */
function widerThan(page: Page, width: number): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(`(() => {
    if (document.documentElement.scrollWidth <= ${width}) return [];
    const wide = [...document.body.querySelectorAll("*")].filter((each) => each.getBoundingClientRect().right > ${width} + 0.5);
    return wide.slice(0, 5).map((each) => "wider than the page: " + each.outerHTML.slice(0, 150));
  })()`);
}

/** Texts that keep our colours when the user has chosen forced colours. */
const UNFORCED = `[...document.body.querySelectorAll("*")]
  .filter((each) => getComputedStyle(each).forcedColorAdjust === "none" && each.textContent.trim() !== "")
  .map((each) => "keeps its colours: " + each.outerHTML.slice(0, 150))`;

const RUNNING_ANIMATIONS = `document.getAnimations()
  .filter(({ playState, effect }) => playState === "running" && effect.getComputedTiming().duration > 1)
  .map(({ animationName, transitionProperty, effect }) => (animationName ?? transitionProperty) + " of " + effect.target.outerHTML.slice(0, 100))`;

/** The faults, with the looks in which they occur. Screenshots have that name. */
export async function faultsInEveryLook(
  page: Page,
  name: string,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const broken = new Map<string, string[]>();
  const note = (look: string, faults: readonly string[]): void =>
    faults.forEach((fault) => broken.set(fault, [...(broken.get(fault) ?? []), look]));
  for (const { theme, width } of looks) {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width, height: HEIGHT });
    await drawn(page);
    await screenshot({ page, theme, width }, name);
    note(`${theme} ${width}`, await axeViolations(page, theme === "light" ? "all" : "colours"));
    note(`${theme} ${width}`, await widerThan(page, width));
  }
  await page.emulateMedia({ colorScheme: "light", forcedColors: "active" });
  note("forced colours", await page.evaluate<readonly string[]>(UNFORCED));
  // A window 1280 wide has this many CSS pixels at a zoom of 200 %.
  await page.setViewportSize({ width: ZOOMED, height: HEIGHT });
  await drawn(page);
  note("zoom", await widerThan(page, ZOOMED));
  note("reduced motion", await page.evaluate<readonly string[]>(RUNNING_ANIMATIONS));
  return Object.fromEntries(broken);
}
