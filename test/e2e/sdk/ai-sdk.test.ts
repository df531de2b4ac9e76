/** The AI SDK's own `useChat` on an oracle, and the devtools, in a real browser against the real Worker. */
import axe from "axe-core";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { disposeAfterTests } from "../../support/server/dispose-after-tests.ts";
import { hasBrowser } from "../../support/browser/browser.ts";
import type { PageUser } from "../../support/sdk/page-user.ts";
import { startSdkPages, type SdkPages } from "../../support/sdk/sdk-pages.ts";

/** A global of the page, where the functions below that need it run. */
declare const getComputedStyle: (element: unknown) => { readonly color: string; readonly borderRadius: string };
declare const document: { readonly activeElement: unknown };

describe.runIf(hasBrowser)("useChat of the AI SDK", () => {
  let pages: SdkPages;
  const started = disposeAfterTests();
  beforeAll(async () => {
    pages = started(await startSdkPages());
  });

  async function open() {
    const user = await pages.signUp();
    const sessionId = await user.newSession();
    return { user, sessionId, ...(await pages.open("ai-sdk", user, { settings: { sessionId } })) };
  }

  async function send(page: Page, text: string): Promise<void> {
    await page.getByLabel("Message").fill(text);
    await page.getByRole("button", { name: "Send" }).click();
  }

  const isReady = (page: Page) => page.getByRole("status").filter({ hasText: "ready" }).waitFor();
  const answer = (page: Page) => page.locator("li[data-role=assistant]").last();
  const answered = (page: Page, text: string) => answer(page).filter({ hasText: text }).waitFor();

  /** The page's messages equal the oracle's transcript, and no message is shown twice. */
  async function isTranscript(page: Page, user: PageUser, sessionId: string): Promise<void> {
    const shown = await page
      .locator("main > ol > li")
      .evaluateAll((items) =>
        items.map(
          (item) =>
            [item.getAttribute("data-id"), (item as unknown as { textContent: string | null }).textContent] as const,
        ),
      );
    expect(shown.map(([, text]) => text)).toEqual((await user.transcript(sessionId)).map(({ content }) => content));
    expect(new Set(shown.map(([id]) => id)).size).toBe(shown.length);
  }

  test("sends once in StrictMode and shows the stored answer [SD-190]", async () => {
    const { page, user, sessionId, traffic, faults } = await open();
    await send(page, "/slow 20 5");
    await answered(page, "20");
    await isReady(page);
    await isTranscript(page, user, sessionId);
    await expect.poll(() => [traffic.posts().length, traffic.openStreams(), faults]).toEqual([1, 0, []]);
  });

  test("continues after repeated reloads during an answer [SD-194]", async () => {
    const { page, user, sessionId, traffic, faults } = await open();
    // Longer than three reloads take.
    await send(page, "/slow 600 25");
    for (const part of ["part 5 ", "part 15 ", "part 25 "]) {
      await answered(page, part);
      await page.reload();
    }
    await answered(page, "part 600");
    await isReady(page);
    await isTranscript(page, user, sessionId);
    expect([traffic.posts().filter(({ path }) => !path.endsWith("abort")).length, faults]).toEqual([1, []]);
    expect(traffic.resumes().length).toBeGreaterThanOrEqual(3);
  });

  test("shows each word once when the server is killed during an answer [SD-193]", async () => {
    const { page, user, sessionId } = await open();
    await send(page, "/slow 60 25");
    await answered(page, "10");
    await pages.server.kill();
    await pages.server.startAgain();
    await answered(page, "60");
    await isReady(page);
    await isTranscript(page, user, sessionId);
    expect(await page.locator("main > ol > li").count()).toBe(2);
  });

  test("stops on the server [SD-196]", async () => {
    const { page, user, sessionId } = await open();
    await send(page, "/slow 1000 25");
    await answered(page, "5");
    await page.getByRole("button", { name: "Stop" }).click();
    await isReady(page);
    await expect.poll(async () => (await user.transcript(sessionId)).length).toBe(2);
    await expect.poll(async () => (await user.call("GET", `/sessions/${sessionId}/run`)).json()).toEqual({ run: null });
  });

  test("has devtools that open and close by keyboard, without accessibility violations [SD-203]", async () => {
    const { page, user, sessionId, faults } = await open();
    await send(page, "/slow 20 0");
    await answered(page, "20");
    const toggle = page.getByRole("button", { name: "Oracle devtools" });
    const look = () =>
      toggle.evaluate((element) => getComputedStyle(element).color + getComputedStyle(element).borderRadius);
    const pageLook = () =>
      page.getByRole("button", { name: "Send" }).evaluate((element) => getComputedStyle(element).color);
    expect([await look(), await pageLook()]).toEqual(["rgb(243, 244, 246)4px", "rgb(255, 0, 0)"]);
    await toggle.focus();
    await page.keyboard.press("Enter");
    const panel = page.getByRole("region", { name: "Oracle devtools" });
    await panel.getByText(`POST /messages/${sessionId}`).waitFor();
    await panel.getByText("×").first().waitFor();
    await page.addScriptTag({ content: axe.source });
    const violations = await panel.evaluate(async (element) => {
      const { axe } = globalThis as unknown as {
        axe: { run(context: unknown, options: object): Promise<{ violations: { id: string }[] }> };
      };
      const runOnly = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
      return (await axe.run(element, { runOnly })).violations.map(({ id }) => id);
    });
    expect(violations).toEqual([]);
    const shown = (await panel.textContent()) ?? "";
    expect(shown).toContain("signed invocation");
    const { serialized } = await user.mint("invocation", pages.oracleDid);
    expect(shown).not.toContain(serialized.slice(0, 40));
    await page.getByLabel("Show").selectOption("request");
    expect(await panel.textContent()).not.toContain("signed invocation");
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    await expect.poll(() => toggle.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(faults).toEqual([]);
  });
});
