/** Many domains: the import that creates them, and the list. */
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { ConsoleForTests } from "../../../support/console/console-for-tests.ts";
import { fastestOf, SHOWN_WITHIN } from "../../../support/console/fastest-of.ts";
import { cut, intercept } from "../../../support/console/network.ts";
import { DEVELOPER } from "../../../support/console/registry-sample.ts";
import { PROTOCOL, registryOf, rowsOf } from "./registry-of.ts";

export function testLists(app: ConsoleForTests): void {
  const { create, found, patch, pathOf } = registryOf(app);

  test("an import whose connection is lost resumes automatically, and counts each line once [CN-244]", async () => {
    const { page } = await app.open({
      path: "/registry/import",
      allow: [/^answer: 404 GET \/v1\/imports\//, /ERR_CONNECTION_REFUSED/, /404/],
    });
    let attempts = 0;
    await intercept(page, /lines\?firstLine=/, async (route) => {
      attempts += 1;
      // The answer of the first attempt is lost after the server has created the domains.
      if (attempts === 1) {
        await route.fetch();
        await route.abort("connectionrefused");
      } else await route.continue();
    });
    await page.getByText("Or paste lines").click();
    const line = (name: string) => JSON.stringify({ type: "asset/lost", class: PROTOCOL, metadata: { name } });
    await page.getByLabel("Lines").fill([line("One"), "no JSON", line("Three")].join("\n"));
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await page.getByText("Done. 2 domains were created.").waitFor();
    expect(attempts).toBe(2);
    await page.getByText("The line is not valid JSON").waitFor();
    expect((await found("type=asset/lost")).page.total).toBe(2);
  });

  describe("an import of 700 lines", () => {
    const line = (number: number): string =>
      JSON.stringify({
        type: "asset/device",
        class: PROTOCOL,
        metadata: { name: `Device ${String(number).padStart(3, "0")}` },
      });
    const lines = Array.from({ length: 700 }, (_, at) => line(at + 1));
    lines[2] = "no JSON";
    lines[599] = '{"type":"Project"}';
    lines[649] = line(650).replace("{", '{"colour":"blue",');
    const file = (of: readonly string[]) => ({
      name: "devices 2026.ndjson",
      mimeType: "application/x-ndjson",
      buffer: Buffer.from(of.join("\n")),
    });
    const interrupted = [/^answer: 404 GET \/v1\/imports\//, /ERR_CONNECTION_REFUSED/, /404/];
    const journey = app.journey({ path: "/registry/import", allow: interrupted });
    const counts = () => journey.page.locator(".counts");

    test("retries when its connection is lost, and stops on demand [CN-244]", async () => {
      const { page } = journey;
      const answerAgain = await cut(page, /lines\?firstLine=501/);
      await page.getByLabel("File", { exact: true }).setInputFiles(file(lines));
      await page.getByRole("button", { name: "Import", exact: true }).click();
      await page.getByText("The connection was lost. The import tries again").waitFor();
      await page.getByRole("button", { name: "Stop" }).click();
      await page.getByText("Stopped. The imported domains are kept").waitFor();
      await counts().getByText("499 created").waitFor();
      await answerAgain();
      expect((await found("type=asset/device")).page.total).toBe(499);
    });

    test("resumes where it was, and reports each failed line, including as a file [CN-72, CN-73, CN-230]", async () => {
      const { page } = journey;
      await page.getByRole("button", { name: "Continue" }).click();
      await counts().getByText("199 created").waitFor();
      await counts().getByText("499 skipped (already imported)").waitFor();
      const failures = page.getByRole("group", { name: "Lines that failed" }).getByRole("row");
      await expect
        .poll(() => failures.allInnerTexts())
        .toEqual([
          expect.stringMatching(/Lines\s+Reason/),
          expect.stringMatching(/^3\s+The line is not valid JSON/),
          expect.stringMatching(/^600\s+class is required/),
        ]);
      const saved = page.waitForEvent("download");
      await page.getByRole("button", { name: "Save the report of failed lines" }).click();
      const report = (await readFile(await (await saved).path(), "utf8")).trimEnd().split("\n");
      expect(report.map((text) => (JSON.parse(text) as { line: number }).line)).toEqual([3, 600]);
      expect((await found("type=asset/device")).page.total).toBe(698);
    });

    test("names the members that the registry ignores, with their lines [CN-229]", async () => {
      const { page } = journey;
      await page.getByText("Done. 199 domains were created. The registry ignores 1 field.").waitFor();
      const named = page.getByText("colour: in line 650");
      await named.waitFor();
      expect(await named.count()).toBe(1);
    });

    test("is resumed from its address on another day, with the original file only [CN-73, CN-226]", async () => {
      const later = await app.open({ path: pathOf(journey.page), allow: interrupted });
      const choose = (of: readonly string[]): Promise<void> =>
        later.page.getByLabel("File", { exact: true }).setInputFiles(file(of));
      await later.page.getByText("This import was started before: 698 of its lines").waitFor();
      await choose(lines.toSpliced(300, 1));
      await later.page.getByRole("button", { name: "Import", exact: true }).click();
      await later.page.getByText("Line 699 differs from the line that was imported under this name").waitFor();
      // The original file, with one line corrected.
      await choose(lines.with(2, line(3)));
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      await intercept(later.page, /lines\?firstLine=501/, async (route) => {
        await held;
        await route.continue();
      });
      await later.page.getByRole("button", { name: "Import", exact: true }).click();
      await later.page.getByText("Importing…").waitFor();
      // It continues while another screen is open.
      await later.page.getByRole("link", { name: "All domains" }).click();
      await later.page.getByRole("heading", { name: "Registry", level: 1 }).waitFor();
      release();
      await later.page.getByRole("link", { name: "Import", exact: true }).click();
      await later.page.getByText("Done. 1 domain was created.", { exact: true }).waitFor();
      await later.page.locator(".counts").getByText("1 created").waitFor();
      expect((await found("type=asset/device")).page.total).toBe(699);
    });
  });

  test("a list is its address: filters, order, size and page reopen in a fresh context, and back undoes each [CN-60]", async () => {
    const { page } = await app.open({ path: "/registry" });
    await page.getByLabel("Type", { exact: true }).selectOption("asset/device");
    await page.getByLabel("Order").selectOption("name");
    await page.getByLabel("Rows").selectOption("50");
    await rowsOf(page).first().getByText("Device 001").waitFor();
    await page.getByRole("button", { name: "Next page" }).click();
    await rowsOf(page).first().getByText("Device 051").waitFor();
    await page.getByRole("button", { name: "Next page" }).click();
    await rowsOf(page).first().getByText("Device 101").waitFor();

    const fresh = await app.open({ path: pathOf(page) });
    await rowsOf(fresh.page).first().getByText("Device 101").waitFor();
    await fresh.page.getByText("Page 3 of 14").waitFor();
    await fresh.page.getByText("699 domains").waitFor();
    await fresh.page.getByRole("button", { name: "Previous page" }).click();
    await rowsOf(fresh.page).first().getByText("Device 051").waitFor();
    await fresh.page.getByRole("button", { name: "Remove the filter Type Asset: device" }).click();
    await rowsOf(fresh.page).first().getByText("Device 001").waitFor();
    expect(new URL(fresh.page.url()).searchParams.getAll("type")).toEqual([]);

    await page.goBack();
    await rowsOf(page).first().getByText("Device 051").waitFor();
    await page.goBack();
    await rowsOf(page).first().getByText("Device 001").waitFor();
    await page.goBack();
    await expect.poll(() => rowsOf(page).count()).toBe(20);
  });

  test("a search and rare filters are in the address and shown as chips [CN-60]", async () => {
    const { page } = await app.open({ path: "/registry" });
    await page.getByLabel("Search domains").fill("kafue");
    await expect.poll(() => pathOf(page)).toBe("/registry?q=kafue");
    await expect.poll(() => rowsOf(page).count()).toBe(1);
    await page.getByText("More filters").click();
    await page.getByLabel("Owner").fill(DEVELOPER);
    await page.getByLabel("Created from").fill("2020-01-01");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByRole("button", { name: "Remove the filter Created from 2020-01-01" }).waitFor();
    expect(pathOf(page)).toBe(`/registry?q=kafue&owner=${encodeURIComponent(DEVELOPER)}&createdFrom=2020-01-01`);
    await expect.poll(() => rowsOf(page).count()).toBe(1);
    // A DID with a port keeps its percent sign, however often the address changes.
    const withPort = "did:web:a.eu%3A3000";
    await page.getByLabel("Controller").fill(withPort);
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByRole("button", { name: `Remove the filter Controller ${withPort}` }).waitFor();
    await page.getByLabel("Order").selectOption("name");
    await page.getByRole("button", { name: `Remove the filter Controller ${withPort}` }).waitFor();
    const controllers = (): readonly string[] => new URL(page.url()).searchParams.getAll("controller");
    expect(controllers()).toEqual([withPort]);
    // A second value is added by keyboard alone.
    const controller = page.getByRole("textbox", { name: "Controller" });
    await controller.fill("did:web:b.eu");
    await page.keyboard.press("Enter");
    await expect.poll(controllers).toEqual([withPort, "did:web:b.eu"]);
    expect(await controller.inputValue()).toBe("");
  });

  test("a page has at most 100 rows, whatever is requested, and is one request; the previous page stays meanwhile [CN-61]", async () => {
    let requests: string[] = [];
    const { page } = await app.open({
      path: "/registry?type=asset/device&limit=100",
      prepare: async (fresh) => {
        requests = listRequests(fresh);
      },
    });
    await expect.poll(() => rowsOf(page).count()).toBe(100);
    // After joining the feed, the page may read its rows once more: before paging, not after.
    await page.getByRole("img", { name: "Live" }).waitFor();
    const turned = (): number => requests.filter((search) => search.includes("cursor=")).length;
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await intercept(page, "**/v1/domains?*cursor*", async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole("button", { name: "Next page" }).click();
    await page.getByText("Loading the next rows…").waitFor();
    expect(await rowsOf(page).count()).toBe(100);
    release();
    await page.getByText("Page 2 of 7").waitFor();
    await page.getByText("699 domains").waitFor();
    expect([await rowsOf(page).count(), turned()]).toEqual([100, 1]);
  });

  test("a domain that is created or changed elsewhere appears in the open list within 2 s [CN-63]", async () => {
    const { page } = await app.open({ path: "/registry?q=hamlet" });
    await page.getByText("No domain matches").waitFor();
    await page.getByRole("img", { name: "Live" }).waitFor();
    const id = await create("School of Hamlet");
    await page.getByRole("link", { name: "School of Hamlet" }).waitFor();
    const fastest = await fastestOf((version) => {
      const name = `College ${version} of Hamlet`;
      return {
        act: async () => expect(await patch(id, version, { metadata: { name } })).toBe(200),
        shown: () => page.getByRole("link", { name }).waitFor(),
      };
    });
    expect(fastest).toBeLessThanOrEqual(SHOWN_WITHIN);
    expect(await rowsOf(page).count()).toBe(1);
  });
}

/** Paths of the page's requests for lists. */
function listRequests(page: Page): string[] {
  const requests: string[] = [];
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname === "/v1/domains" && request.method() === "GET") requests.push(search);
  });
  return requests;
}
