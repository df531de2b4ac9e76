/** One conversation of the chat from its first question to its deletion, and one identity in two tabs. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { chatTexts } from "../../../console/src/texts/chat.ts";
import { kitTexts } from "../../../console/src/texts/kit.ts";
import { hasBrowser } from "../../support/browser/browser.ts";
import { didOf, field, isDeletion, log, newestPart, panel, quiet, say } from "../../support/console/chat-page.ts";
import { startConsoleForTests } from "../../support/console/console-for-tests.ts";
import { drawn } from "../../support/console/every-look.ts";
import { intercept } from "../../support/console/network.ts";
import { signOut } from "../../support/console/sign-out.ts";

/** Pixels. */
const FROM_END = `(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)(document.querySelector("[role=log]"))`;

/** The browser's stored values, and whether the private key can be exported. */
const KEPT = `(async () => {
  const settled = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const database = await settled(indexedDB.open("twinedge console"));
  const { key } = await settled(database.transaction("identity").objectStore("identity").get("chat identity"));
  database.close();
  const exported = await crypto.subtle.exportKey("pkcs8", key.privateKey).then(() => "exported", ({ name }) => name);
  return [exported, key.privateKey.extractable, Object.keys(localStorage), Object.keys(key)];
})()`;

describe.runIf(hasBrowser)("in the chat", () => {
  const app = startConsoleForTests();

  describe("a conversation", () => {
    const tokens = new Set<string>();
    const journey = app.journey({
      path: "/chat?panel=inspector",
      prepare: async (fresh) => {
        fresh.on("request", (request) => {
          const { authorization, "x-ucan-delegation": delegation } = request.headers();
          const [, bearer] = /^Bearer (.{400,})$/.exec(authorization ?? "") ?? [];
          for (const token of [bearer, delegation]) if (token !== undefined) tokens.add(token);
        });
      },
    });

    test("begins with a true answer to a suggested question, and has an address [CN-140]", async () => {
      const { page } = journey;
      await page.getByRole("button", { name: chatTexts.whatIsDomain }).click();
      await log(page).getByText("did:ixo:protocol/clean-cooking", { exact: true }).waitFor();
      expect(new URL(page.url()).pathname).toMatch(/^\/console\/chat\/[\w-]{36}$/);
    });

    test("shows what is sent over the wire, and copies it, without a token [CN-139]", async () => {
      const { page, faults } = journey;
      await panel(page).getByText("finished", { exact: true }).waitFor();
      await panel(page).getByRole("definition").getByText(chatTexts.inspector.connected, { exact: true }).waitFor();
      await panel(page)
        .getByText(/POST \/messages\//)
        .first()
        .waitFor();
      await Promise.all([
        panel(page).getByText(kitTexts.copied, { exact: true }).waitFor(),
        panel(page).getByRole("button", { name: chatTexts.inspector.copy }).click(),
      ]);
      await field(page).focus();
      await page.keyboard.press("Control+v");
      await expect.poll(() => field(page).inputValue()).not.toBe("");
      const copied = await field(page).inputValue();
      await field(page).clear();
      const entries = JSON.parse(copied) as readonly { readonly kind: string }[];
      expect(new Set(entries.map(({ kind }) => kind))).toEqual(
        new Set(["request", "frame", "socket", "run", "tokens"]),
      );
      expect(tokens.size).toBeGreaterThan(1);
      const shown = await page.locator("body").innerText();
      for (const token of tokens) {
        faults.watchSecret(token);
        expect(copied.includes(token) || shown.includes(token)).toBe(false);
      }
      expect(copied).not.toMatch(/[\w+/=-]{120,}/);
      await page.getByRole("link", { name: chatTexts.panels.sessions, exact: true }).click();
    });

    test("renders Markdown without its own markup: links to the web, pictures as words [CN-133]", async () => {
      const { page } = journey;
      await say(
        page,
        "x [web](https://example.org/) [bad](javascript:alert(1)) ![pic](https://example.org/a.png) <img src=x onerror=alert(1)>",
      );
      const answer = log(page).getByRole("article", { name: chatTexts.oracle }).filter({ hasText: "You said: x" });
      await answer.getByRole("link").getByText("web").waitFor();
      expect(await answer.getByRole("link").count()).toBe(1);
      expect(await log(page).locator("img, script, iframe").count()).toBe(0);
      await answer.getByText("[Picture: pic]").waitFor();
    });

    test("says why the model failed, and sends the message again [CN-137]", async () => {
      const { page } = journey;
      await say(page, "/fail rate_limit");
      await log(page)
        .getByText(chatTexts.failures.kinds["rate_limit"] ?? "")
        .waitFor();
      await log(page).getByRole("button", { name: chatTexts.sendAgain }).click();
      await expect.poll(() => log(page).getByText("/fail rate_limit", { exact: true }).count()).toBe(2);
      await quiet(page);
    });

    test("keeps a reader at the end there, and a reader elsewhere at their place [CN-132]", async () => {
      const { page } = journey;
      await page.setViewportSize({ width: 1100, height: 500 });
      await say(page, "/slow 2000 5");
      await expect.poll(() => newestPart(page)).toBeGreaterThan(200);
      await expect.poll(() => page.evaluate<number>(FROM_END)).toBeLessThan(60);
      // Once more, if the answer has grown before the page was notified.
      await expect
        .poll(async () => {
          await page.evaluate(`document.querySelector("[role=log]").scrollBy(0, -150)`);
          await drawn(page);
          return await page.evaluate<number>(FROM_END);
        })
        .toBeGreaterThan(60);
      const top = `[...document.querySelectorAll("[role=log] article.ai")].at(-1).getBoundingClientRect().top`;
      const before = await page.evaluate<number>(top);
      const read = await newestPart(page);
      await expect.poll(() => newestPart(page)).toBeGreaterThan(read + 100);
      expect(Math.abs((await page.evaluate<number>(top)) - before)).toBeLessThan(2);
      await page.getByRole("button", { name: chatTexts.toNewest }).click();
      await expect.poll(() => page.evaluate<number>(FROM_END)).toBeLessThan(60);
      await page.getByRole("button", { name: chatTexts.stop }).click();
      await quiet(page);
      await page.setViewportSize({ width: 1280, height: 800 });
    });

    test("is deleted after a question that names the effect [CN-141]", async () => {
      const { page, faults } = journey;
      // The page may still be stopping the answer, or reading its final state.
      faults.allow(/^answer: 404 (?:GET \/sessions\/[\w-]+\/(?:messages|run)|POST \/messages\/abort)/);
      const title = chatTexts.whatIsDomain;
      await panel(page)
        .getByRole("button", { name: chatTexts.sessions.delete(title) })
        .click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText(chatTexts.sessions.deleteEffect(title)).waitFor();
      await dialog.getByRole("button", { name: chatTexts.sessions.deleteAction }).click();
      await panel(page).getByText(chatTexts.sessions.empty).waitFor();
      await expect.poll(() => new URL(page.url()).pathname).toBe("/console/chat");
    });
  });

  describe("an identity in two tabs", () => {
    const journey = app.journey({ path: "/chat?panel=identity" });
    let first = "";
    let other: Page;
    const waiting = () => journey.page.getByRole("list", { name: chatTexts.queued.title });

    test("is a key that cannot be exported, and that is stored nowhere else [CN-130]", async () => {
      const { page } = journey;
      await panel(page).getByText(chatTexts.identity.sealed).waitFor();
      first = await didOf(page);
      expect(first).toMatch(/^did:key:z6Mk/);
      expect(await page.evaluate(KEPT)).toEqual(["InvalidAccessError", false, [], ["privateKey", "publicKey"]]);
    });

    test("restores its first message before later input, when no conversation can be created [CN-33, CN-147]", async () => {
      const { page, faults } = journey;
      // Creating the conversation fails, and later succeeds; each time, the next message is already being typed.
      const answers = [Promise.withResolvers<boolean>(), Promise.withResolvers<boolean>()] as const;
      let asked = 0;
      await intercept(page, /\/sessions$/, async (route) => {
        if (route.request().method() !== "POST") return await route.continue();
        if (await answers[asked++ === 0 ? 0 : 1].promise) await route.continue();
        else await route.fulfill({ status: 500, body: "{}" });
      });
      faults.allow(/^answer: 500 POST \/sessions$/);
      await say(page, "/slow 2000 100");
      await expect.poll(() => asked).toBe(1);
      await field(page).fill("next");
      answers[0].resolve(false);
      await page.getByRole("alert").getByText(chatTexts.failures.server).waitFor();
      expect(await field(page).inputValue()).toBe("/slow 2000 100\nnext");
      await say(page, "/slow 2000 100");
      await expect.poll(() => asked).toBe(2);
      await field(page).fill("next");
      answers[1].resolve(true);
      await log(page).getByText("part 3 ").waitFor();
      await field(page).and(page.locator(":focus")).waitFor();
      expect(await field(page).inputValue()).toBe("next");
      await field(page).clear();
      await page.unroute(/\/sessions$/);
    });

    test("keeps a waiting message across signing out, other screens and a reload, until the user cancels it [CN-136, CN-146]", async () => {
      const { page } = journey;
      await say(page, "never mind");
      await waiting().getByText("never mind", { exact: true }).waitFor();
      await signOut(page);
      await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Home" }).click();
      await waiting().waitFor({ state: "detached" });
      await page.goBack();
      await waiting().getByText("never mind", { exact: true }).waitFor();
      await page.reload();
      expect(await didOf(page)).toBe(first);
      await waiting().getByText(chatTexts.queued.waiting).waitFor();
      await waiting()
        .getByRole("button", { name: chatTexts.queued.remove("never mind") })
        .click();
      await waiting().waitFor({ state: "detached" });
    });

    test("is shared by another tab, which stops the answer; the first one sends it again [CN-130, CN-136]", async () => {
      const { page, context } = journey;
      other = await context.newPage();
      await other.goto(page.url());
      await log(other).getByText("part 3 ").waitFor();
      expect(await didOf(other)).toBe(first);
      // The browser stores that a question was once asked, for the first steps of the home screen, and nothing about the question.
      expect(await page.evaluate("Object.keys(localStorage)")).toEqual(["twinedge console did ask"]);
      await other.getByRole("button", { name: chatTexts.stop }).click();
      await log(page).getByText(chatTexts.stopped).waitFor();
      await quiet(other);
      await log(page).getByRole("button", { name: chatTexts.sendAgain }).click();
      await page.getByRole("button", { name: chatTexts.stop }).click();
      await quiet(page);
      await expect.poll(() => log(page).getByText("/slow 2000 100", { exact: true }).count()).toBe(2);
    });

    test("is deleted with all its data, in both tabs [CN-130, CN-248]", async () => {
      const { page, faults } = journey;
      // The other tab still shows the conversation, which no longer has an owner.
      faults.allow(/^answer: 404 GET \/(sessions|messages)\//);
      await panel(page).getByRole("button", { name: chatTexts.identity.forget }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("data that stays at the oracle can never be read or deleted").waitFor();
      expect(await dialog.getByLabel(chatTexts.identity.deleteFirst).isChecked()).toBe(true);
      const deleted = page.waitForResponse(isDeletion);
      await dialog.getByRole("button", { name: chatTexts.identity.forget }).click();
      expect((await deleted).status()).toBe(200);
      await page.getByText(chatTexts.identity.forgotten).waitFor();
      const second = await didOf(page);
      expect(second).not.toBe(first);
      await panel(other).getByText(second).waitFor();
      await other.getByRole("alert").getByText(chatTexts.failures.gone).waitFor();
    });
  });
});
