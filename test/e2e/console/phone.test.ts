/** The phone in a real browser, against the real gateway and the real `npm run ussd`. */
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Locator } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { hasBrowser } from "../../support/browser/browser.ts";
import { readClipboard } from "../../support/console/clipboard.ts";
import { startConsoleForTests } from "../../support/console/console-for-tests.ts";
import { tabTo } from "../../support/console/keyboard.ts";
import { callRegistry } from "../../support/console/registry-sample.ts";
import { refuse } from "../../support/console/network.ts";
import { phoneOf } from "../../support/console/phone-page.ts";

const projectRoot = resolve(import.meta.dirname, "../../..");
/** Not a valid port, so that it cannot appear by chance. */
const PIN = "86420";
/** As a separate number: a request id may contain these five digits in a row. */
const THE_PIN = new RegExp(`(?<![0-9a-fA-F-])${PIN}(?![0-9a-fA-F-])`);
const folder = mkdtempSync(join(tmpdir(), "twinedge-phone-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const isFocused = (locator: Locator): Promise<number> => locator.and(locator.page().locator(":focus")).count();

describe.runIf(hasBrowser)("the phone", () => {
  const app = startConsoleForTests({ USSD_RATE_LIMIT_PER_MINUTE: "100000" });

  async function ussd(...words: readonly string[]): Promise<string> {
    const command = ["scripts/ussd.ts", ...words, "--url", app.server.url];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, command, { cwd: projectRoot });
    return stdout + stderr;
  }

  test("dial, menu, answer, drop, redial, replay by keyboard alone; the PIN appears nowhere [CN-110, CN-113, CN-114, CN-115]", async () => {
    const { page, context } = await app.open({ path: "/phone?phone=%2B260971230011" });
    const { shows, button, line } = phoneOf(page);
    const send = async (text: string, answer: string | RegExp): Promise<void> => {
      await page.keyboard.type(text);
      await page.keyboard.press("Enter");
      await shows(answer);
    };
    await expect.poll(() => isFocused(button("Dial"))).toBe(1);
    await page.keyboard.press("Enter");
    await shows("1. Know More");
    await send("2", "1. Yes, log me in");
    await send("2", "Enter your full name");
    await send("Ada Lovelace", "Enter your email");
    await send("00", "Create a 5-digit PIN");
    await expect.poll(() => line.getAttribute("type")).toBe("password");
    await tabTo(page, button("Drop the line"));
    await page.keyboard.press("Enter");
    await shows("Press Dial");
    await page.keyboard.press("Enter");
    await shows("9. Continue where you left");
    await send("9", "Create a 5-digit PIN");
    await send(PIN, "Confirm your 5-digit PIN");
    await send(PIN, "Account created");
    await send("*", "Goodbye");

    await tabTo(page, button("Save as a flow file"));
    const downloading = page.waitForEvent("download");
    await page.keyboard.press("Enter");
    const saved = join(folder, "saved.yaml");
    await (await downloading).saveAs(saved);
    expect(await ussd("--replay-file", saved, "--set", `pin=${PIN}`)).toMatch(
      /^ok .*\(10 steps\)\n1 of 1 flows went as recorded\.\n$/,
    );

    await tabTo(page, button("Copy a link to it"));
    await page.keyboard.press("Enter");
    await page.getByText("The link was copied.").waitFor();
    const link = new URL(await readClipboard(context, app.server));
    const everything = await page.evaluate<string>(
      "document.documentElement.outerHTML + JSON.stringify({ ...sessionStorage, ...localStorage, state: history.state })",
    );
    const kept = [page.url(), link.href, everything, await page.title()].join("\n");
    expect(kept).toContain("Ada");
    expect(kept).not.toMatch(THE_PIN);
    expect(page.url() + link.href).not.toContain(PIN);
    expect(app.server.log()).not.toMatch(THE_PIN);

    const sent: string[] = [];
    const other = await app.open({
      path: `/phone${link.search}`,
      prepare: (page) => Promise.resolve(void page.on("request", (request) => sent.push(request.url()))),
    });
    const shared = other.page.getByRole("region", { name: "Shared session" });
    await shared.getByText("Send Ada Lovelace").waitFor();
    await shared.getByText("Nothing has been sent yet").waitFor();
    expect(sent.filter((url) => url.includes("/api/ussd"))).toEqual([]);
    await tabTo(other.page, shared.getByLabel("PIN to use as {pin}"));
    await other.page.keyboard.type(PIN);
    await tabTo(other.page, shared.getByRole("button", { name: "Replay" }));
    await other.page.keyboard.press("Enter");
    await shared.getByText("All 10 steps were replayed.").waitFor();
    expect(await shared.getByText("Nothing has been sent yet").count()).toBe(0);
    await phoneOf(other.page).shows("Goodbye");
    expect(other.page.url()).not.toContain(PIN);
  });

  test("dial, menu and answer by touch at 320, with a direct dial [CN-110]", async () => {
    const { page } = await app.open({ path: "/phone?phone=%2B260971230012", width: 320, touch: true, theme: "dark" });
    const { shows, button, line, section } = phoneOf(page);
    const key = (name: string): Locator => section.getByRole("group", { name: "Keypad" }).getByRole("button", { name });
    for (const name of ["star", "2 abc", "2 abc", "3 def", "3 def", "star", "2 abc", "hash"]) await key(name).tap();
    expect(await line.inputValue()).toBe("*2233*2#");
    await button("Dial").tap();
    await shows("1. Yes, log me in");
    await key("2 abc").tap();
    await button("Send").tap();
    await shows("Enter your full name");
    await line.tap();
    await line.fill("Grace");
    await button("Send").tap();
    await shows("Enter your email");
    await button("Drop the line").tap();
    await shows("Press Dial");
    await button("Redial").tap();
    await shows("1. Yes, log me in");
    await button("Hang up").tap();
    await button("Dial").tap();
    await shows("9. Continue");
    await key("9 wxyz").tap();
    await key("1").tap();
    await button("Clear").tap();
    expect(await line.inputValue()).toBe("9");
    await button("Send").tap();
    await shows("Enter your email");
    await page.goto(`${app.server.url}/console/phone?play=d&play=i1&play=i2`);
    await section.getByRole("button", { name: "Replay" }).tap();
    await section.getByText("All 3 steps were replayed.").waitFor();
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(320);
  });

  test.each([
    [1366, 657],
    [1440, 900],
  ])(
    "the whole handset is visible in a window of %i by %i, even at the end of the page [CN-290]",
    async (width, height) => {
      const { page } = await app.open({ path: "/phone?phone=%2B260971230091", width, height });
      const { shows, button, line, section } = phoneOf(page);
      const parts = [
        section.getByRole("status", { name: "Display" }),
        line,
        ...["Dial", "Clear", "Hang up", "hash", "Redial", "Drop the line", "Send again"].map(button),
      ];
      const outOfSight = async (): Promise<readonly string[]> => {
        const boxes = await Promise.all(parts.map((part) => part.boundingBox()));
        return boxes.flatMap((box, index) =>
          box !== null && box.y >= 0 && box.y + box.height <= height ? [] : [`part ${index} at ${box?.y}`],
        );
      };
      expect(await outOfSight()).toEqual([]);
      await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
      expect(await page.evaluate<number>("scrollY")).toBeGreaterThan(0);
      expect(await outOfSight()).toEqual([]);
      await button("Dial").click();
      await shows("1. Know More");
      await section.locator(".phone-log summary").getByText("CON Welcome").waitFor();
    },
  );

  test("a repeated request and a request whose reply was lost get equal replies; each is logged and copied as curl [CN-111, CN-112, CN-116]", async () => {
    const { page, context } = await app.open({ path: "/phone?phone=%2B260971230013" });
    const { shows, button, section } = phoneOf(page);
    await button("Dial").click();
    await shows("1. Know More");
    await section.getByText("64 of 160 septets (GSM-7)").or(section.getByText("68 of 160 septets (GSM-7)")).waitFor();
    const entries = section
      .getByRole("list")
      .filter({ has: page.locator("details") })
      .getByRole("listitem");
    await button("Send again").click();
    await entries.first().getByText("same reply").waitFor();
    await page.getByLabel("Lose the next reply").check();
    await page.keyboard.press("Escape");
    await phoneOf(page).line.fill("1");
    await page.keyboard.press("Enter");
    await shows("The reply was lost");
    await button("Send again").click();
    await shows("1. Interested in Product");
    await entries.first().getByText("same reply").waitFor();
    const newest = entries.first();
    await newest.locator("summary").click();
    await newest.getByText("POST /api/ussd").waitFor();
    expect(await newest.getByText(/^\d+ ms$/).count()).toBe(1);
    expect(await newest.getByText(/Request id/).count()).toBe(1);
    const copy = newest.getByRole("button", { name: "Copy as curl" });
    await Promise.all([copy.getByText("Copied").waitFor(), copy.click()]);
    const command = await readClipboard(context, app.server);
    const { stdout } = spawnSync("sh", ["-c", command.replace(/^curl/, "curl -s")], { encoding: "utf8" });
    expect(stdout).toMatch(/^CON Welcome to Digital Services Information Center\n1\. Interested/);
  });

  test("a flow file of the repository replays here, and differences are shown [CN-114]", async () => {
    const { page } = await app.open({ path: "/phone" });
    const { section } = phoneOf(page);
    await section.locator("input[type=file]").setInputFiles(join(projectRoot, "test/flows/menus.yaml"));
    await section.getByLabel("Flow", { exact: true }).selectOption({ label: "know more (5 steps)" });
    await section.getByRole("button", { name: "Replay" }).click();
    await section.getByText("All 5 steps went as recorded.").waitFor();
    const wrong = "flows:\n  - name: x\n    steps:\n      - dial:\n        expect: CON Nothing of the kind\n";
    const file = { name: "wrong.yaml", mimeType: "text/yaml", buffer: Buffer.from(wrong) };
    await section.locator("input[type=file]").setInputFiles(file);
    // Until it is read, the previous file would be replayed.
    await section.getByRole("heading", { name: "Flow file wrong.yaml" }).waitFor();
    await section.getByRole("button", { name: "Replay" }).click();
    await section.getByText("Step 1 showed a different screen.").waitFor();
    await section.getByText("CON Nothing of the kind").waitFor();
    await section.locator("input[type=file]").setInputFiles({ ...file, buffer: Buffer.from("flows: 1") });
    await expect
      .poll(() => section.getByRole("alert").textContent())
      .toBe("wrong.yaml cannot be read: flows: a list is expected here");
  });

  test("two phones side by side have separate sessions [CN-117]", async () => {
    const { page } = await app.open({
      path: "/phone?phones=2&phone=%2B260971230014&phone2=%2B260971230015&format=hubtel",
    });
    const [one, two] = [phoneOf(page, 1), phoneOf(page, 2)];
    await one.button("Dial").click();
    await one.shows("1. Know More");
    await two.button("Dial").click();
    await two.shows("1. Know More");
    await two.line.fill("2");
    await two.line.press("Enter");
    await two.shows("Account Menu");
    await one.line.fill("1");
    await one.line.press("Enter");
    await one.shows("1. Interested in Product");
    await two.shows("Do you have an existing");
    const ids = await page.locator(".station .phone-session-id").allTextContents();
    expect(new Set(ids).size).toBe(2);
  });

  test("leads from a domain's page to its record by following the screens, and once more automatically [CN-103]", async () => {
    const body = { type: "Project", class: "did:ixo:protocol/clean-cooking", metadata: { name: "Kabwe Stoves" } };
    const { id } = await callRegistry(app.server, "POST", "/v1/domains", { body });
    const { page } = await app.open({ path: `/registry/domains/${encodeURIComponent(id)}` });
    await page.getByRole("link", { name: "Look it up by phone" }).click();
    const { shows, button, line, section } = phoneOf(page);
    await section.getByRole("heading", { name: "Look up Kabwe Stoves" }).waitFor();
    const guided = section.locator(".phone-guide-line");
    const follow = async (says: string | RegExp, text?: string): Promise<void> => {
      await guided.filter({ hasText: says }).waitFor();
      if (text === undefined) await guided.getByRole("button").click();
      else await line.fill(text);
      await button("Send").click();
    };
    await guided.filter({ hasText: "Press Dial." }).waitFor();
    await button("Dial").click();
    await follow("Send 2: Account Menu.", "2");
    await follow("Send 2: No, create my account.", "2");
    await follow("Send a name", "Ada");
    await follow("Send 00", "00");
    await follow("Choose a five-digit PIN", PIN);
    await follow("Send the same PIN", PIN);
    await follow(/^C[0-9A-F]{8}[0-9A-Z] is your Customer ID. Send 1/, "1");
    await follow("Send 1: Yes, log me in.", "1");
    await follow("Send your Customer ID: C");
    await follow("Send your PIN.", PIN);
    await follow("Send 1: Continue.", "1");
    await follow("Send 3: Services.", "3");
    await follow("Send 2: Check a record's status.", "2");
    await follow(`Send the record's number: ${id.slice(-6)}.`);
    await guided.filter({ hasText: "This is what callers see." }).waitFor();
    await shows("Status: awaiting");

    await section.getByText("Or let the phone do it").click();
    await section.getByLabel("PIN to use as {pin}").fill(PIN);
    await section.getByRole("button", { name: "Replay" }).click();
    await section.getByText("All 15 steps were replayed.").waitFor();
    await shows("Kabwe Stoves");
    expect(new URL(page.url()).searchParams.get("about")).toBe(id);
  });

  test("where only telecom gateways are served, the phone says that it is refused and why [CN-118]", async () => {
    const { page } = await app.open({
      path: "/phone",
      allow: [/^answer: 404 POST \/api\/ussd$/],
      prepare: (page) => refuse(page, "**/api/ussd", { status: 404 }),
    });
    const { shows, button, section } = phoneOf(page);
    await button("Dial").click();
    await shows("USSD_PATH_SECRET");
    expect(await section.getByText(/septets/).count()).toBe(0);
  });
});
