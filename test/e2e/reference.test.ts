/** The API reference in a real browser: it works under its own strict policy and asks nobody else for anything. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Browser } from "playwright-core";
import { hasBrowser, startBrowser } from "../support/browser.ts";
import { startRunningServer, type RunningServer } from "../support/running-server.ts";

describe.runIf(hasBrowser)("GET /docs", () => {
  let server: RunningServer;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startRunningServer(), startBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await server.dispose();
  });

  test("shows every document, tries a call, and breaks no rule of its policy", async () => {
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

    await page.goto(`${server.url}/docs`);
    const documents = page.locator("select").first();
    await page.locator(".opblock").first().waitFor();
    expect(await documents.locator("option").allTextContents()).toEqual(
      expect.arrayContaining(["everything", "oracle"]),
    );
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
