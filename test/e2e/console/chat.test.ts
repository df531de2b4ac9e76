/** The chat in a browser with the real oracle, its built-in model, and credits. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { chatTexts } from "../../../console/src/texts/chat.ts";
import { hasBrowser } from "../../support/browser/browser.ts";
import { startConsoleForTests } from "../../support/console/console-for-tests.ts";
import { didOf, field, log, newestPart, panel, partsOf, quiet, say } from "../../support/console/chat-page.ts";
import { tabTo } from "../../support/console/keyboard.ts";
import { intercept } from "../../support/console/network.ts";
import { callRegistry } from "../../support/console/registry-sample.ts";
import { wishedPreferences } from "../../../oracle/models/local-model/phrases.ts";

/** A model whose answer costs about 400 credits: the first one leaves fewer than a message needs. */
const DEAR = "dear";
/**
 * The initial credits of each user. They pay for a call of the expensive model, up to 6,000 credits by the estimate of its prompt;
 * the answers of the cheap model take less than `SPARE_CREDITS` of it, holds included.
 */
const INITIAL_CREDITS = 100_000;
const SPARE_CREDITS = 100;
const GRANTS_SECRET = "a secret of the test's operator";

describe.runIf(hasBrowser)("the chat", () => {
  const model = (id: string, inputPerMillion: number) => ({ id, pricing: { inputPerMillion, outputPerMillion: 1 } });
  const app = startConsoleForTests({
    CREDITS_ENABLED: "true",
    CREDITS_INITIAL: String(INITIAL_CREDITS),
    CREDITS_MINIMUM: String(INITIAL_CREDITS - SPARE_CREDITS),
    CRON_SECRET: GRANTS_SECRET,
    MODELS: JSON.stringify([model("local", 1), model(DEAR, 1_500)]),
  });
  let did = "";
  beforeAll(async () => {
    const body = { type: "Project", class: "did:ixo:protocol/clean-cooking", metadata: { name: "Kiboko stoves" } };
    did = (await callRegistry(app.server, "POST", "/v1/domains", { body })).id;
  });

  describe.each([
    { by: "keyboard alone", width: 1280, touch: false },
    { by: "touch", width: 320, touch: true },
  ])("by $by at $width", ({ width, touch }) => {
    const press = async (page: Page, target: Locator): Promise<void> => {
      if (touch) return await target.tap();
      await tabTo(page, target);
      await page.keyboard.press("Enter");
    };
    const enter = async (page: Page, text: string): Promise<void> => {
      if (touch) await field(page).tap();
      else await tabTo(page, field(page));
      await page.keyboard.insertText(text);
      await press(page, page.getByRole("button", { name: chatTexts.send, exact: true }));
    };

    test("a newcomer asks about their domain, sees the tool, and reloads in mid-answer [CN-131, CN-134, CN-140, CN-146]", async () => {
      const { page } = await app.open({ path: `/chat?about=${encodeURIComponent(did)}`, width, touch });
      await expect.poll(() => field(page).inputValue()).toBe(chatTexts.aboutDomain({ did, name: "Kiboko stoves" }));
      await field(page).and(page.locator(":focus")).waitFor();
      await press(page, page.getByRole("button", { name: chatTexts.send, exact: true }));
      // With its card, as stored: the streamed answer has its own card, which is replaced.
      const answer = log(page)
        .getByRole("article", { name: chatTexts.oracle })
        .filter({ hasText: '"Kiboko stoves" is a domain of the type Project.' });
      await answer.locator("summary").waitFor();
      // The new conversation's field, for the next message.
      await field(page).and(page.locator(":focus")).waitFor();
      const card = page.getByText(chatTexts.tool.names["get_domain_card"] ?? "");
      await press(page, answer.locator("summary", { has: card }));
      await log(page).getByRole("region", { name: chatTexts.tool.arguments }).getByText(did).waitFor();
      const link = log(page).getByRole("link", { name: chatTexts.tool.open });
      expect(await link.getAttribute("href")).toContain(encodeURIComponent(did));

      // Longer than any reload takes: it is stopped once it was seen to continue.
      await enter(page, "/slow 2000 50");
      await log(page).getByText("part 5 ").waitFor();
      await field(page).fill("unsent");
      await page.reload();
      await page.getByRole("button", { name: chatTexts.stop }).waitFor();
      expect(await field(page).inputValue()).toBe("unsent");
      await field(page).clear();
      const before = await newestPart(page);
      await expect.poll(() => newestPart(page)).toBeGreaterThan(before + 3);
      await press(page, page.getByRole("button", { name: chatTexts.stop }));
      await log(page).getByText(chatTexts.stopped).waitFor();
      const parts = await partsOf(page);
      expect(parts).toEqual(parts.map((_, index) => index + 1));
      const texts = await log(page).getByRole("article").allInnerTexts();
      expect(texts.filter((text) => text.trim() === "/slow 2000 50")).toHaveLength(1);
      await card.waitFor();
    });
  });

  test("preferences and memory are shown, changed by talking, and deleted after a question; without credits a message is kept [CN-137, CN-138, CN-141]", async () => {
    const { page } = await app.open({
      path: "/chat?panel=preferences",
      allow: [/^answer: 402 POST \/messages\//],
    });
    await panel(page).getByLabel(chatTexts.preferences.value).fill("Ada");
    await panel(page).getByRole("button", { name: chatTexts.preferences.ask }).click();
    await log(page).getByText("Call me Ada.", { exact: true }).waitFor();
    await panel(page).getByRole("definition").getByText("Ada", { exact: true }).waitFor();
    await page.getByRole("link", { name: chatTexts.panels.memory, exact: true }).click();
    await say(page, "Remember that my stove is a Kiboko 2");
    await panel(page).getByText("my stove is a Kiboko 2").waitFor();
    await panel(page).getByRole("button", { name: chatTexts.memory.deleteAll }).click();
    await page.getByRole("dialog").getByText(chatTexts.memory.deleteAllEffect).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: chatTexts.memory.deleteAll }).click();
    await panel(page).getByText(chatTexts.memory.empty).waitFor();
    expect(page.url()).toContain("panel=memory");
    await page.getByRole("link", { name: chatTexts.panels.identity, exact: true }).click();
    const grant = { did: await didOf(page), amount: 1_000, key: "test" };

    await page.getByRole("link", { name: chatTexts.panels.models, exact: true }).click();
    await panel(page).locator("label", { hasText: DEAR }).getByRole("radio").check();
    await page.waitForURL(/model=dear/);
    await say(page, "expensive");
    await log(page).getByText("You said: expensive").waitFor();
    await quiet(page);
    await say(page, "one more");
    const refused = page.getByRole("alert").filter({ hasText: chatTexts.failures.payment });
    await refused.getByRole("link", { name: chatTexts.failures.seeCredits }).click();
    await panel(page).getByRole("region", { name: chatTexts.credits.claims }).waitFor();
    const granted = await fetch(`${app.server.url}/credits/grants`, {
      method: "POST",
      headers: { Authorization: `Bearer ${GRANTS_SECRET}` },
      body: JSON.stringify(grant),
    });
    expect(granted.status).toBe(200);
    await refused.getByRole("button", { name: chatTexts.sendAgain }).click();
    await log(page).getByText("You said: one more").waitFor();
  });

  test("the built-in model is labelled, finds a domain by its name, and asks before it deletes facts [CN-281, CN-282, CN-283]", async () => {
    const { page } = await app.open({ path: "/chat" });
    await page.getByText(chatTexts.builtIn.before).waitFor();
    await say(page, "Explain the verification status of domain Kiboko stoves");
    const explained = log(page).locator("summary", { hasText: chatTexts.tool.names["explain_verification"] ?? "" });
    await explained.waitFor();
    await quiet(page);
    await say(page, chatTexts.forgetAll);
    const question = page.getByRole("region", { name: chatTexts.question.title });
    await question.getByText(chatTexts.question.tools["forget_everything"] ?? "").waitFor();
    await question.getByRole("button", { name: chatTexts.question.refuse }).click();
    await log(page).getByText("You did not approve that, so I have not done it.", { exact: true }).waitFor();
    await quiet(page);
    // Connected, and therefore without a status text.
    await page.getByText(chatTexts.connection.connecting, { exact: true }).waitFor({ state: "detached" });
    const place = async () => (await field(page).boundingBox())?.y;
    const before = await place();
    await page.context().setOffline(true);
    await page
      .locator(".page-notice")
      .getByText(/^Offline/)
      .waitFor();
    expect(await place()).toBe(before);
    await page.context().setOffline(false);
    await page
      .locator(".page-notice")
      .getByText(/^Offline/)
      .waitFor({ state: "detached" });
  });

  test.each([320, 768, 1440])("all views of the chat are usable at %d pixels [CN-284]", async (width) => {
    const { page } = await app.open({ path: "/chat", width });
    const views = page.getByRole("navigation", { name: chatTexts.views });
    await views.getByRole("link", { name: chatTexts.panels.credits, exact: true }).waitFor();
    const boxes = await Promise.all((await views.getByRole("link").all()).map((link) => link.boundingBox()));
    expect(boxes).toHaveLength(Object.keys(chatTexts.panels).length);
    expect(boxes.filter((box) => box === null || box.x < 0 || box.x + box.width > width)).toEqual([]);
    // The buttons are on one line if there is room.
    expect(new Set(boxes.map((box) => box?.y)).size).toBeLessThanOrEqual(width === 1440 ? 1 : 3);
  });

  test("a card that is opened while its answer streams stays open when the stored answer replaces it [CN-134]", async () => {
    const { page } = await app.open({ path: "/chat" });
    await say(page, "hello");
    await log(page).getByText("You said: hello").waitFor();
    await quiet(page);
    const isOpened = Promise.withResolvers<void>();
    await intercept(page, "**/sessions/*/messages?*", async (route) => {
      await isOpened.promise;
      await route.continue();
    });
    await say(page, chatTexts.aboutDomain({ did }));
    const summary = log(page).locator("summary", { hasText: chatTexts.tool.names["get_domain_card"] ?? "" });
    // The list scrolls while the answer streams, so a click by the pointer could miss.
    await summary.dispatchEvent("click");
    await log(page).locator("details[open]").waitFor();
    const streamed = await summary.elementHandle();
    isOpened.resolve();
    // The stored answer is a different element.
    await expect.poll(() => streamed?.isVisible()).toBe(false);
    await log(page).locator("details[open]").getByText(did).first().waitFor();
  });

  test.each(Object.entries(chatTexts.preferences.sentences))(
    "the built-in model understands the sentence that changes %s [CN-145]",
    (name, sentence) => {
      const wished = wishedPreferences(sentence(name === "language" ? "French" : "formal"));
      // It has no phrase for formality, and stores the sentence as an instruction.
      expect(Object.keys(wished ?? {})).toEqual([name === "formality" ? "customInstructions" : name]);
    },
  );
});
