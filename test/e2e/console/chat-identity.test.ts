/** A first message and an identity of the chat: a reload, no network, signing out. */
import { describe, expect, test } from "vitest";
import { chatTexts } from "../../../console/src/texts/chat.ts";
import { hasBrowser } from "../../support/browser/browser.ts";
import { didOf, field, isDeletion, log, panel, quiet, say } from "../../support/console/chat-page.ts";
import { startConsoleForTests } from "../../support/console/console-for-tests.ts";
import { intercept } from "../../support/console/network.ts";

/** A key that refuses to sign while the page sets a flag, like a wallet that is locked or that its user closes. */
const DECLINING = `globalThis.declines = true;
  const { sign } = SubtleCrypto.prototype;
  SubtleCrypto.prototype.sign = function (...given) {
    return globalThis.declines ? Promise.reject(new DOMException("declined", "NotAllowedError")) : sign.apply(this, given);
  };`;

describe.runIf(hasBrowser)("the chat", () => {
  const app = startConsoleForTests();

  test("a declined signature explains what to do, keeps the message, and is requested again only by the user [CN-137, CN-301]", async () => {
    const { page } = await app.open({ path: "/chat", prepare: (fresh) => fresh.addInitScript(DECLINING) });
    const notices = page.getByRole("alert").filter({ hasText: chatTexts.failures.signing });
    await say(page, "Is my stove verified?");
    await notices.first().waitFor();
    await expect.poll(() => field(page).inputValue()).toBe("Is my stove verified?");
    await page.evaluate("globalThis.declines = false");
    await field(page).press("Enter");
    await log(page).getByText("Is my stove verified?", { exact: true }).waitFor();
    await quiet(page);
    await expect.poll(() => notices.count()).toBe(0);
  });

  test("a first message is kept until its conversation exists, over a reload and without a network; a fact is deleted after a question, and signing out leaves the chat too [CN-141, CN-242, CN-248]", async () => {
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
    await expect.poll(() => field(page).inputValue()).toBe("Is my stove verified?");
    // One notice, which must not cover the field.
    const notice = page.locator(".page-notice p");
    await notice.getByText(/^Offline/).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(
      await page
        .locator("main")
        .getByText(/offline/i)
        .count(),
    ).toBe(0);
    const [shown, typed] = [await notice.boundingBox(), await field(page).boundingBox()];
    expect((shown?.y ?? 0) + (shown?.height ?? 0)).toBeLessThan(typed?.y ?? 0);
    expect((typed?.y ?? 0) + (typed?.height ?? 0)).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0);
    await context.setOffline(false);
    await field(page).press("Enter");
    await log(page).getByText("Is my stove verified?", { exact: true }).waitFor();
    await quiet(page);

    await page.getByRole("link", { name: chatTexts.panels.memory, exact: true }).click();
    await say(page, "Remember that my goat is called Pilipili");
    const bin = panel(page).getByRole("button", { name: /Forget “my goat/i });
    await bin.click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("This permanently deletes").waitFor();
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
