/** One phone of the console's phone screen, as a test handles it. */
import type { Locator, Page } from "playwright-core";

interface Phone {
  readonly section: Locator;
  /** Waits until the display has the text. */
  readonly shows: (text: string | RegExp) => Promise<unknown>;
  readonly button: (name: string) => Locator;
  readonly line: Locator;
}

export function phoneOf(page: Page, number = 1): Phone {
  const section = page.getByRole("region", { name: `Phone ${number}` });
  return {
    section,
    shows: (text) => section.getByRole("status", { name: "Display" }).filter({ hasText: text }).waitFor(),
    button: (name) => section.getByRole("button", { name, exact: true }),
    line: section.locator("input.phone-line"),
  };
}
