/** Signs out as a user does: the menu, and the question that names what is lost. */
import type { Page } from "playwright-core";

export async function signOut(page: Page): Promise<void> {
  await page.getByRole("banner").getByRole("button", { name: "Account" }).click();
  await page.getByRole("banner").getByRole("button", { name: "Sign out" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Sign out/ })
    .click();
}
