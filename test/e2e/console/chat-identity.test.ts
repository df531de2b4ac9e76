/** A first message and an identity of the chat, through what may happen to both: a reload, no network, signing out. */
import { describe, expect, test } from "vitest";
import { chatTexts } from "../../../console/src/texts/chat.ts";
import { hasBrowser } from "../../support/browser/browser.ts";
import { didOf, field, isDeletion, log, panel, quiet, say } from "../../support/console/chat-page.ts";
import { startConsoleForTests } from "../../support/console/console-for-tests.ts";
import { intercept } from "../../support/console/network.ts";

describe.runIf(hasBrowser)("the chat", () => {
  const app = startConsoleForTests();

  test("a first message is kept until its conversation exists: over a reload, and without a network; a fact is forgotten after a question, and signing out leaves the chat too [CN-141, CN-242, CN-248]", async () => {
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
    // In the conversation, and in the list of conversations, which has read nothing either.
    await page.getByRole("alert").getByText(chatTexts.failures.offline).first().waitFor();
    expect(await field(page).inputValue()).toBe("Is my stove verified?");
    await context.setOffline(false);
    await field(page).press("Enter");
    await log(page).getByText("Is my stove verified?", { exact: true }).waitFor();
    await quiet(page);

    await page.getByRole("link", { name: chatTexts.panels.memory, exact: true }).click();
    await say(page, "Remember that my goat is called Pilipili");
    const bin = panel(page).getByRole("button", { name: /Forget “my goat/i });
    await bin.click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("is deleted for good").waitFor();
    await dialog.getByRole("button", { name: chatTexts.memory.deleteAction }).dblclick();
    await page.getByText(chatTexts.memory.deleted).waitFor();
    await bin.waitFor({ state: "detached" });
    await quiet(page);

    await page.getByRole("link", { name: chatTexts.panels.identity, exact: true }).click();
    const first = await didOf(page);
    await page.getByRole("banner").getByRole("button", { name: "Account" }).click();
    await page.getByRole("banner").getByRole("button", { name: "Sign out" }).click();
    await dialog.getByLabel("Leave the chat too").check();
    const deleted = page.waitForResponse(isDeletion);
    await dialog.getByRole("button", { name: "Sign out" }).click();
    expect((await deleted).status()).toBe(200);
    await page.getByText("You have left the chat.").waitFor();
    await expect.poll(() => didOf(page)).not.toBe(first);
    expect(faults.found()).toEqual([]);
  });
});
