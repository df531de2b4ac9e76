/** A first message and an identity of the chat, through what may happen to both: a reload, no network, signing out. */
import { describe, expect, test } from "vitest";
import { chatTexts } from "../../../console/src/texts/chat.ts";
import { hasBrowser } from "../../support/browser.ts";
import { didOf, field, log, panel, quiet, say } from "../../support/console/chat-page.ts";
import { startConsoleForTests } from "../../support/console/console-for-tests.ts";
import { intercept } from "../../support/console/network.ts";

describe.runIf(hasBrowser)("the chat", () => {
  const app = startConsoleForTests();

  test("a first message is kept until its conversation exists: over a reload, and without a network; signing out leaves the chat too if that is wished [CN-242, CN-248]", async () => {
    const { page, context, faults } = await app.open({
      path: "/chat",
      allow: [/ERR_INTERNET_DISCONNECTED/, /^answer: 404 GET \/(sessions|messages)\//],
    });
    await panel(page).getByText(chatTexts.sessions.empty).waitFor();
    const asked = Promise.withResolvers<undefined>();
    await intercept(page, /\/sessions$/, async (route) => {
      if (route.request().method() === "POST") asked.resolve(undefined);
      else await route.continue();
    });
    await say(page, "Is my stove verified?");
    await asked.promise;
    await page.reload();
    await expect.poll(() => field(page).inputValue()).toBe("Is my stove verified?");
    await page.unroute(/\/sessions$/);

    await context.setOffline(true);
    await field(page).press("Enter");
    await page.getByRole("alert").getByText(chatTexts.failures.offline).waitFor();
    expect(await field(page).inputValue()).toBe("Is my stove verified?");
    await context.setOffline(false);
    await field(page).press("Enter");
    await log(page).getByText("Is my stove verified?", { exact: true }).waitFor();
    await quiet(page);

    await page.getByRole("link", { name: chatTexts.panels.identity, exact: true }).click();
    const first = await didOf(page);
    await page.getByRole("banner").getByRole("button", { name: "Account" }).click();
    await page.getByRole("banner").getByRole("button", { name: "Sign out" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Leave the chat too").check();
    const deleted = page.waitForResponse(
      ({ request, url }) => request().method() === "DELETE" && /\/sessions\//.test(url()),
    );
    await dialog.getByRole("button", { name: "Sign out" }).click();
    expect((await deleted).status()).toBe(200);
    await page.getByText("You have left the chat.").waitFor();
    await expect.poll(() => didOf(page)).not.toBe(first);
    expect(faults.found()).toEqual([]);
  });
});
