/** The API reference in a real browser: it works under its own strict policy and sends requests only to its origin. */
import { beforeAll, describe, expect, test } from "vitest";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { hasBrowser, startBrowser, type TestBrowser } from "../support/browser/browser.ts";
import { startRunningServer, type RunningServer } from "../support/server/running-server.ts";

describe.runIf(hasBrowser)("GET /docs", () => {
  let server: RunningServer;
  let browser: TestBrowser;
  const started = disposeAfterTests();
  beforeAll(async () => {
    [server, browser] = await Promise.all([startRunningServer().then(started), startBrowser().then(started)]);
  });

  /** A page, with its requests to other origins and its errors and policy violations. */
  async function watchedPage() {
    const page = await browser.newPage();
    const foreign: string[] = [];
    const faults: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(server.url) && !request.url().startsWith("data:")) foreign.push(request.url());
    });
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => {
      if (message.text().includes("Content Security Policy")) faults.push(message.text());
    });
    return { page, foreign, faults };
  }

  test("a documentation page shows the rule in its address, and violates no rule of its policy [ALL-25]", async () => {
    const { page, foreign, faults } = await watchedPage();
    await page.goto(`${server.url}/docs`);
    await page.getByRole("link", { name: "References", exact: true }).click();
    await page.getByRole("main").getByRole("link", { name: "Registry", exact: true }).click();
    await page.goto(`${page.url()}#RG-1`);
    expect(await page.locator("li:target strong").textContent()).toBe("RG-1");
    expect({ foreign, faults }).toEqual({ foreign: [], faults: [] });
  });

  test("a diagram uses the colours of its page, and violates no rule of its policy [ALL-25]", async () => {
    const { page, foreign, faults } = await watchedPage();
    await page.goto(`${server.url}/docs/sequences`);
    const drawing = page.getByRole("img", { name: "The vote that decides a proposal" });
    const label = drawing.getByText("one batch");
    const styles = await page.evaluate<string>(
      `[getComputedStyle([...document.querySelectorAll("svg text")].find((each) => each.textContent.includes("one batch"))).fill,
        getComputedStyle(document.body).color].join("|")`,
    );
    const [ink, text] = styles.split("|");
    expect([ink, await label.isVisible()]).toEqual([text, true]);
    expect({ foreign, faults }).toEqual({ foreign: [], faults: [] });
  });

  test("the search of a documentation page finds a variable, and links to it [ALL-25]", async () => {
    const { page, foreign, faults } = await watchedPage();
    await page.goto(`${server.url}/docs`);
    await page.getByRole("link", { name: "Documentation", exact: true }).click();
    const search = page.getByRole("searchbox", { name: "Search the documentation" });
    await search.fill("registry_quorum_bp");
    await page.getByRole("link", { name: "Configuration: Registry" }).click();
    await page.waitForURL(`${server.url}/docs/configuration#registry`);
    await search.fill("xyzzyx");
    await page.getByText("No results").waitFor();
    await search.fill("ALL-25");
    await page.getByRole("link", { name: "Every surface: ALL-25" }).waitFor();
    await search.press("Enter");
    await page.waitForURL(`${server.url}/docs/reference/platform#ALL-25`);
    expect({ foreign, faults }).toEqual({ foreign: [], faults: [] });
  });

  test("shows every document, tries a call, and violates no rule of its policy [ALL-25]", async () => {
    const { page, foreign, faults } = await watchedPage();

    await page.goto(`${server.url}/docs`);
    const documents = page.locator("select").first();
    await page.locator(".opblock").first().waitFor();
    expect(await documents.locator("option").allTextContents()).toEqual(
      expect.arrayContaining(["everything", "oracle"]),
    );
    // The chain's queries are collapsed, all else is open, and the filter finds a path.
    const filter = page.locator(".operation-filter-input");
    for (const path of ["/sessions/{sessionId}", "/messages/{sessionId}", "/v1/domains", "/api/ussd"]) {
      await filter.fill(path);
      await page.locator(".opblock-summary-path").filter({ hasText: path }).first().waitFor();
    }
    await filter.fill("ixo.entity");
    const folded = page.locator('[data-tag="ixo.entity"]');
    await folded.waitFor();
    expect(await page.locator(".opblock").count()).toBe(0);
    await folded.click();
    await page.locator(".opblock", { hasText: "/entity/" }).first().waitFor();
    await filter.fill("");
    await documents.selectOption({ label: "oracle" });
    const list = page.locator("#operations-Sessions-listSessions");
    await list.locator(".opblock-summary-control").click();
    await list.locator(".try-out__btn").click();
    const answered = page.waitForResponse((response) => response.url().includes("/sessions?"));
    await list.locator(".execute").click();
    expect((await answered).status()).toBe(401);
    await list.locator(".live-responses-table").waitFor();
    expect({ foreign, faults }).toEqual({ foreign: [], faults: [] });
  });
});
