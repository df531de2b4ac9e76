/**
 * The example, started by its command and used like a user would; then axe checks every screen, in both colour schemes and at two
 * widths. Its screenshots are kept in dist/screenshots.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser, startBrowser, type TestBrowser } from "../../support/browser/browser.ts";
import { freePort } from "../../support/server/free-port.ts";
import { removeDirectory } from "../../support/server/remove-directory.ts";

const project = resolve(import.meta.dirname, "../../..");
const screenshots = join(project, "dist/screenshots");
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** Milliseconds: the package, the oracle and Vite on a busy machine. */
const START_LIMIT = 240_000;

/** The members of an axe result that are read. */
interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

interface Look {
  readonly colorScheme: "light" | "dark";
  readonly width: number;
}
const looks: readonly Look[] = (["light", "dark"] as const).flatMap((colorScheme) =>
  [320, 1280].map((width) => ({ colorScheme, width })),
);

describe.runIf(hasBrowser)("the example", () => {
  let browser: TestBrowser;
  let address: string;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    const [port, oraclePort] = [await freePort(), await freePort()];
    const state = mkdtempSync(join(tmpdir(), "twinedge-example-"));
    const args = ["--port", String(port), "--oracle-port", String(oraclePort), "--state", state];
    const child = spawn(process.execPath, ["scripts/example-chat.ts", ...args], { cwd: project, detached: true });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => void (output += text));
    stop = async () => {
      const exit = once(child, "exit");
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM");
      await exit;
      removeDirectory(state);
    };
    const deadline = Date.now() + START_LIMIT;
    while (!output.includes("Ctrl-C stops both.") && child.exitCode === null && Date.now() < deadline) await delay(100);
    if (!output.includes("Ctrl-C stops both.")) throw new Error(`the example did not start:\n${output}`);
    address = `http://localhost:${port}`;
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await stop?.();
  });

  /** A new user with an empty conversation. */
  async function open({ colorScheme, width }: Look): Promise<Page> {
    const context = await browser.newContext({
      colorScheme,
      viewport: { width, height: 800 },
      reducedMotion: "reduce",
    });
    const page = await context.newPage();
    await page.goto(address);
    await page.getByRole("button", { name: "Start a conversation" }).click();
    await page.getByRole("heading", { name: "What would you like to know?" }).waitFor();
    return page;
  }
  const tryOut = (page: Page, name: string): Promise<void> => page.getByRole("button", { name, exact: true }).click();
  async function say(page: Page, message: string): Promise<void> {
    await page.getByRole("textbox", { name: "Message" }).fill(message);
    await page.keyboard.press("Enter");
  }

  /** The rules that a screen violates; the screenshot shows the checked screen. */
  async function look(page: Page, name: string): Promise<readonly string[]> {
    await page.screenshot({ path: join(screenshots, `${name}.png`) });
    await page.evaluate(`if (!("axe" in globalThis)) { ${axeSource} }`);
    const found = await page.evaluate<Violation[]>(
      `axe.run(document, ${JSON.stringify({ runOnly: { type: "tag", values: WCAG } })}).then(({ violations }) => violations)`,
    );
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  }

  test.each(looks)(
    "$width pixels wide in $colorScheme: every screen is accessible and nothing is wider than the screen [SD-271]",
    async ({ colorScheme, width }) => {
      const page = await open({ colorScheme, width });
      const faults: Record<string, readonly string[]> = {};
      const screen = async (name: string): Promise<void> => {
        faults[name] = await look(page, `${name}-${colorScheme}-${width}`);
        const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
        expect(overflow, name).toBeLessThanOrEqual(0);
      };
      await screen("1-empty");
      await tryOut(page, "Show Markdown");
      await page.getByRole("region", { name: "Table" }).waitFor();
      await say(page, '/tool find_stove {"id":"KE-0042"}');
      await page.getByRole("region", { name: "Stove KE-0042" }).waitFor();
      await say(
        page,
        '/tool draw_chart {"title":"Hours cooked","unit":"h","bars":[{"label":"May","value":40},{"label":"June","value":61}]}',
      );
      await page.getByText("Hours cooked", { exact: true }).waitFor();
      await screen("2-messages");
      await say(page, '/tool book_visit {"stove":"KE-0042","day":"2026-12-01"}');
      await page.getByRole("button", { name: "Approve" }).waitFor();
      await say(page, "And what does it cost?");
      await page.getByRole("list", { name: "Waiting messages" }).waitFor();
      await screen("3-approval-and-queue");
      await page.getByRole("button", { name: "Refuse" }).click();
      await page.getByRole("list", { name: "Waiting messages" }).waitFor({ state: "detached" });
      await say(page, "Write the paid report");
      await page.getByRole("dialog", { name: "A payment is due" }).waitFor();
      await screen("4-payment");
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Preferences" }).click();
      await page.getByRole("dialog", { name: "Your preferences" }).getByText("None yet").waitFor();
      await screen("5-preferences");
      await page.keyboard.press("Escape");
      if (width < 720) {
        await page.getByRole("button", { name: "Open the list of conversations" }).click();
        await page.getByRole("button", { name: "New conversation" }).waitFor();
        await screen("6-sessions");
      }
      expect(faults).toEqual(Object.fromEntries(Object.keys(faults).map((name) => [name, []])));
      await page.context().close();
    },
  );

  test("shows the SDK's features: cards, a browser tool, an action, an approval, preferences, stop [SD-270, SD-310]", async () => {
    const page = await open({ colorScheme: "light", width: 1280 });
    await page.getByText("Built-in model: answers the suggestions.").waitFor();
    await tryOut(page, "What is the title of this page?");
    await page.getByText(/^Title: Hearth: a chat/).waitFor();
    await say(page, "How is stove KE-0042 doing?");
    await page.getByRole("region", { name: "Stove KE-0042" }).waitFor();
    await say(page, "Draw a chart of the hours cooked by month");
    await page.getByText("Hours cooked by month", { exact: true }).waitFor();
    await say(page, "Book a visit to stove KE-0042 on 1 December");
    await page.getByRole("region", { name: "Approve Book visit" }).getByRole("button", { name: "Approve" }).click();
    await page.getByText("A visit to KE-0042 is booked for 2026-12-01.", { exact: true }).waitFor();
    await say(page, "Call me Amina");
    await page.getByText("I will do so from your next message on.", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Preferences" }).click();
    await page.getByRole("dialog").getByText("Amina").waitFor();
    await page.keyboard.press("Escape");
    await say(page, "/slow 5000 50");
    await page.getByText("part 3").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Send" }).waitFor();
    await page.getByText("Connecting", { exact: true }).waitFor({ state: "detached" });
    expect(await page.getByText("part 5000").count()).toBe(0);
    await page.context().close();
  });

  test("a reload during a reply shows it whole, once [SD-272]", async () => {
    const page = await open({ colorScheme: "light", width: 1280 });
    await say(page, "/slow 60 40");
    await page.getByText("part 5").waitFor();
    await page.reload();
    const whole = Array.from({ length: 60 }, (_, index) => `part ${index + 1}`).join(" ");
    // Not their inner texts: a message that was just drawn is not laid out (`content-visibility`), so it has none yet.
    const texts = () => page.getByRole("article", { name: "Oracle" }).allTextContents();
    await expect.poll(async () => (await texts()).map((text) => text.trim())).toEqual([whole]);
    await page.context().close();
  });
});
