/** Typical files: tables and JSON that can be imported, and files with errors. */
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { ConsoleForTests } from "../../../support/console/console-for-tests.ts";
import { cut, intercept } from "../../../support/console/network.ts";
import { PROTOCOL, registryOf } from "./registry-of.ts";

/** An import that is new to the server; the browser reports the 404. */
const unknown = [/^answer: 404 GET \/v1\/imports\//];

const choose = (page: Page, name: string, content: string | Buffer): Promise<void> =>
  page.getByLabel("File", { exact: true }).setInputFiles({ name, mimeType: "", buffer: Buffer.from(content) });

const start = (page: Page): Promise<void> => page.getByRole("button", { name: "Import", exact: true }).click();

export function testFiles(app: ConsoleForTests): void {
  const { found } = registryOf(app);

  test("a table is imported by columns that are guessed and changed, and its template is a table that imports [CN-270] [CN-272] [CN-273]", async () => {
    const { page } = await app.open({ path: "/registry/import", allow: unknown });
    const table = `Title;Kind;Village;Remark\r\n"Pump; ""one""";asset/pump;Kibera;first\r\nPump two;asset/pump;Mukuru;\r\n`;
    await choose(page, "pumps.csv", table);
    await page.getByText("CSV: one domain in each row, 4 columns. The columns are separated by a semicolon.").waitFor();
    expect(await page.getByLabel("Field for Title").inputValue()).toBe("name");
    expect(await page.getByLabel("Field for Village").inputValue()).toBe("ownName");
    await page.getByLabel("Field for Remark").selectOption({ label: "Description" });
    await start(page);
    await page.getByText("Enter a class, or choose the column that contains it.").waitFor();
    await page.locator("input:focus").and(page.getByLabel("Class of every row")).waitFor();
    await page.getByLabel("Class of every row").fill(PROTOCOL);
    await start(page);
    await page.getByText("Done. 2 domains were created.").waitFor();
    const { data } = await found("type=asset/pump&sort=name");
    expect(data).toMatchObject([
      { name: "Pump two", metadata: { Village: "Mukuru" } },
      { name: 'Pump; "one"', class: PROTOCOL, metadata: { Village: "Kibera", description: "first" } },
    ]);

    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save a CSV template" }).click();
    const template = await readFile(await (await saved).path(), "utf8");
    await choose(page, "template.csv", template);
    await page.getByRole("button", { name: "Check only" }).click();
    await page.locator(".counts").getByText("1 valid").waitFor();
  });

  test("each file suggests its own name; the page reports the result, and recognises a file that was imported before [CN-270] [CN-274]", async () => {
    const { page } = await app.open({ path: "/registry/import", allow: unknown });
    const domains = ["Well A", "Well B"].map((name) => ({ type: "asset/well", class: PROTOCOL, metadata: { name } }));
    await choose(page, "wells.json", JSON.stringify(domains, undefined, 2));
    await page.getByText("JSON: an array of domains, or domains over several lines.").waitFor();
    const name = page.getByLabel("Name of the import");
    expect(await name.inputValue()).toBe("wells.json");
    await start(page);
    await page.getByText("Done. 2 domains were created.").waitFor();
    expect(await page.getByText("This import was started before").count()).toBe(0);

    await choose(page, "other wells.json", JSON.stringify(domains, undefined, 2));
    await expect.poll(() => name.inputValue()).toBe("other-wells.json");
    await page.getByText("The first domain of this file was imported before.").waitFor();
    await page.getByRole("button", { name: "Continue wells.json" }).click();
    await expect.poll(() => name.inputValue()).toBe("wells.json");
    await start(page);
    await page.getByText("Done. No domain was created.").waitFor();
    expect((await found("type=asset/well")).page.total).toBe(2);
  });

  test("a file that cannot be read explains what to do, and the next file can be imported [CN-271]", async () => {
    const { page } = await app.open({ path: "/registry/import" });
    const field = page.getByLabel("File", { exact: true });
    const wrong: readonly (readonly [string | Buffer, string])[] = [
      ["", "The file is empty."],
      [Buffer.from("\uFEFFname,type\n", "utf16le"), "The file is in UTF-16."],
      [Buffer.from("name,type\nCaf\u00E9,Project\n", "latin1"), "The file is not in UTF-8"],
      [Buffer.from([0x50, 0x4b, 3, 4, 0]), "The file is a workbook"],
      ["name\nA\n", "only one column"],
      ["name,type,name\n", 'Two columns have the name "name"'],
    ];
    for (const [content, sentence] of wrong) {
      await choose(page, `${"long name ".repeat(20)}.csv`, content);
      await page.getByText(sentence).waitFor();
      expect(await field.getAttribute("aria-invalid")).toBe("true");
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    }
    await choose(
      page,
      "right.csv",
      `name,type,class,document\nA,asset/well,${PROTOCOL},{\nB,asset/well,${PROTOCOL},\n`,
    );
    await page.getByRole("button", { name: "Check only" }).click();
    await page.getByText("Checked. Nothing was stored.").waitFor();
    await page.getByText('The cell in column "document" is not valid JSON.').waitFor();
    await page.locator(".counts").getByText("1 valid").waitFor();
  });

  test("an import resumes automatically after a lost connection, and each line counts once [CN-244]", async () => {
    const { page } = await app.open({ path: "/registry/import", allow: [...unknown, /ERR_CONNECTION_REFUSED/] });
    const lines = Array.from({ length: 510 }, (_, at) =>
      JSON.stringify({ type: "asset/lamp", class: PROTOCOL, metadata: { name: `Lamp ${at}` } }),
    );
    const answerAgain = await cut(page, /lines\?firstLine=501/);
    await choose(page, "lamps.ndjson", lines.join("\n"));
    await start(page);
    await page.getByText("The connection was lost. The import tries again in 2 s.").waitFor();
    await answerAgain();
    await page.getByText("Done. 510 domains were created.").waitFor();
    expect((await found("type=asset/lamp")).page.total).toBe(510);
  });

  test("the filtered list is exported as CSV and NDJSON, over a break and a limit; the CSV imports again unchanged [CN-276] [CN-277]", async () => {
    const { page } = await app.open({
      path: "/registry?type=asset/lamp&limit=20",
      allow: [/^answer: 429/, /ERR_CONNECTION_RESET/],
    });
    const exported = async (): Promise<string> => {
      const saved = page.waitForEvent("download");
      await page.getByRole("dialog").getByRole("button", { name: "Export" }).click();
      return readFile(await (await saved).path(), "utf8");
    };
    await page.getByText("510 domains").waitFor();
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByText("510 domains with the search and filters of the list").waitFor();
    const csv = await exported();
    expect(csv.startsWith("\uFEFFid,name,description,type,class,")).toBe(true);
    expect(csv.trimEnd().split("\r\n")).toHaveLength(511);
    await page.getByText("510 domains exported.").waitFor();

    // The first connection is lost, and the next request is refused for a second.
    const path = /\/v1\/export/;
    let asked = 0;
    const cursors: (string | null)[] = [];
    await intercept(page, path, async (route) => {
      asked += 1;
      cursors.push(new URL(route.request().url()).searchParams.get("cursor"));
      if (asked === 2) {
        const body = JSON.stringify({ detail: "Too many rows" });
        await route.fulfill({ status: 429, headers: { "Retry-After": "1" }, contentType: "application/json", body });
      } else if (asked === 1) await route.abort("connectionreset");
      else await route.continue();
    });
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByLabel("NDJSON, for programs").check();
    const ndjson = (await exported()).trimEnd().split("\n");
    expect(new Set(ndjson.map((line) => (JSON.parse(line) as { id: string }).id)).size).toBe(510);
    expect([asked, cursors]).toEqual([3, [null, null, null]]);
    await page.unroute(path);

    const again = await app.open({ path: "/registry/import", allow: unknown });
    await choose(again.page, "domains.csv", csv.replaceAll("asset/lamp", "asset/torch"));
    await start(again.page);
    await again.page.getByText("Done. 510 domains were created.").waitFor();
    expect((await found("type=asset/torch")).page.total).toBe(510);
  });

  test("an export is shown on any screen, and cancelling it ends its request [CN-276]", async () => {
    const { page } = await app.open({ path: "/" });
    await page.getByRole("button", { name: "Search and commands" }).click();
    await page.keyboard.type("export");
    await page.getByText("Export all domains to a file").click();
    const dialog = page.getByRole("dialog", { name: "Export domains" });
    await dialog.waitFor();
    await intercept(page, /\/v1\/export/, () => new Promise(() => undefined));
    const begun = page.waitForRequest(/\/v1\/export/);
    await dialog.getByRole("button", { name: "Export" }).click();
    await begun;
    const ended = page.waitForEvent("requestfailed", (request) => request.url().includes("/v1/export"));
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await ended;
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    expect(new URL(page.url()).searchParams.has("export")).toBe(false);
  });
}
