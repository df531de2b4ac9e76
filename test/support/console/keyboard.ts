/** Moves through a page with the keyboard only. */
import type { Locator, Page } from "playwright-core";

/** Maximum key presses: more than any screen has focusable elements. */
const MOST = 300;

/** Presses Tab (or Shift+Tab) until the element has the focus. Fails when the focus has been everywhere else. */
export async function tabTo(page: Page, target: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  await target.waitFor();
  const been: string[] = [];
  for (let press = 0; press < MOST; press += 1) {
    if ((await target.and(page.locator(":focus")).count()) > 0) return;
    await page.keyboard.press(key);
    been.push(await page.evaluate<string>(FOCUSED));
    // Passed the end of the page twice: every element was visited, wherever the focus began.
    if (been.filter((each) => each === PAGE).length > 2) break;
  }
  throw new Error(`Tab does not reach ${target.toString()}. The focus was on:\n${been.join("\n")}`);
}

const PAGE = "the page";
const FOCUSED = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return ${JSON.stringify(PAGE)};
  const name = element.getAttribute("aria-label") ?? element.textContent.trim() ?? "";
  return element.tagName.toLowerCase() + " " + name.slice(0, 60);
})()`;
