/** Keys stay in the tab that uses them, whatever is done in the console. */
import { describe, expect, test } from "vitest";
import { hasBrowser } from "../../support/browser/browser.ts";
import { startConsoleForTests } from "../../support/console/console-for-tests.ts";
import { developmentKeys } from "../../support/console/development-keys.ts";
import { signOut } from "../../support/console/sign-out.ts";

describe.runIf(hasBrowser)("keys", () => {
  const app = startConsoleForTests();

  test("that are entered stay in their tab through all screens, and end with signing out [CN-30]", async () => {
    const { page, context } = await app.open({ signedIn: false });
    await page.getByRole("banner").getByRole("button", { name: "Sign in" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Registry API key").fill(developmentKeys().apiKey);
    await dialog.getByLabel(/^Operator's token/).fill(developmentKeys().operatorToken);
    await dialog.getByLabel(/^Phone operator's token/).fill(developmentKeys().phoneOperatorToken);
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });

    const links = page.getByRole("navigation", { name: "Main" }).getByRole("link");
    for (const link of await links.all()) {
      await link.click();
      await page.locator("main .skeleton").first().waitFor({ state: "detached" });
    }
    await page.reload();
    await page.getByRole("banner").getByRole("button", { name: "Account" }).waitFor();
    expect(await page.evaluate<string>("JSON.stringify(sessionStorage)")).not.toContain("twe_");

    const other = await context.newPage();
    await other.goto(page.url());
    await other.getByRole("banner").getByRole("button", { name: "Sign in" }).waitFor();
    expect(await other.evaluate<string>("JSON.stringify(sessionStorage)")).not.toContain("twe_");

    await signOut(page);
    await page.getByRole("banner").getByRole("button", { name: "Sign in" }).waitFor();
    const kept = await page.evaluate<string>("JSON.stringify({ ...sessionStorage, ...localStorage })");
    for (const key of Object.values(developmentKeys())) expect(kept).not.toContain(key);
  });
});
