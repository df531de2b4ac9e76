/** The GraphQL page in a real browser: it runs a query under its own policy and sends requests only to its origin. */
import { beforeAll, describe, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { disposeAfterTests } from "../support/server/dispose-after-tests.ts";
import { hasBrowser, startBrowser, type TestBrowser } from "../support/browser/browser.ts";
import { startRunningServer, type RunningServer } from "../support/server/running-server.ts";

describe.runIf(hasBrowser)("GET /graphql as a page", () => {
  let server: RunningServer;
  let browser: TestBrowser;
  const started = disposeAfterTests();
  beforeAll(async () => {
    [server, browser] = await Promise.all([startRunningServer().then(started), startBrowser().then(started)]);
  });

  /** Runs the query in the editor. The button has no effect until both editors are loaded. */
  async function execute(page: Page): Promise<void> {
    await page.locator(".graphiql-query-editor .view-lines", { hasText: "totalCount" }).waitFor();
    await page.locator(".result-window .monaco-editor").waitFor();
    await page.locator(".graphiql-execute-button").click();
  }

  test("runs the first query, with its workers, and violates no rule of its policy", async () => {
    const page = await browser.newPage();
    const foreign: string[] = [];
    const faults: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(server.url) && !/^(data|blob):/.test(request.url())) foreign.push(request.url());
    });
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => {
      if (message.text().includes("Content Security Policy")) faults.push(message.text());
    });

    const worker = page.waitForEvent("worker", (each) => each.url().startsWith(server.url));
    await page.goto(`${server.url}/graphql`);
    await worker;
    await execute(page);
    await page.locator(".result-window", { hasText: "totalCount" }).waitFor();
    expect({ foreign, faults }).toEqual({ foreign: [], faults: [] });
  });

  test("links to the console and the reference, at every width [CN-295]", async () => {
    for (const width of [1440, 320]) {
      const page = await browser.newPage({ viewport: { width, height: 700 } });
      await page.goto(`${server.url}/graphql`);
      await page.locator(".graphiql-query-editor .view-lines").waitFor();
      const frame = await page.locator("#root > .graphiql-container").boundingBox();
      expect(Math.round((frame?.y ?? 0) + (frame?.height ?? 0))).toBe(700);
      await page.getByRole("link", { name: "API reference" }).waitFor();
      await page.getByRole("link", { name: "Console" }).click();
      await page.waitForURL(/\/console\/?$/);
      await page.close();
    }
  });

  test("a browser that opens an unknown path is shown where to go, a program gets JSON [CN-299]", async () => {
    const page = await browser.newPage();
    const opened = await page.goto(`${server.url}/no/such/path`);
    expect(opened?.status()).toBe(404);
    await page.getByRole("heading", { name: "This page does not exist" }).waitFor();
    await page.getByRole("link", { name: "Console" }).click();
    await page.waitForURL(/\/console\/?$/);
    await page.close();
    expect(await (await fetch(`${server.url}/no/such/path`)).json()).toMatchObject({ code: 5, message: "Not Found" });
  });

  test("stores no header in storage, history or address, and removes those that an earlier page stored [RG-160]", async () => {
    const page = await browser.newPage();
    await page.goto(`${server.url}/docs/graphiql/LICENSE`);
    await page.evaluate(() => {
      localStorage.setItem("graphiql:headers", '{"X-API-Key":"old-key-text"}');
      localStorage.setItem(
        "graphiql:tabState",
        '{"tabs":[{"id":"1","title":"a","query":"{ __typename }","headers":"{\\"X-API-Key\\":\\"old-key-text\\"}"}],"activeTabIndex":0}',
      );
      localStorage.setItem("graphiql:shouldPersistHeaders", "true");
    });
    await page.goto(`${server.url}/graphql`);
    await page.locator(".graphiql-query-editor .view-lines").waitFor();
    await page.getByRole("button", { name: "Headers" }).click();
    await page.locator('[aria-label="Headers"] .monaco-editor, .graphiql-editor .monaco-editor').last().click();
    await page.keyboard.insertText('{"X-API-Key":"new-key-text"}');
    const sent = page.waitForRequest((request) => request.headers()["x-api-key"] === "new-key-text");
    await page.locator(".graphiql-execute-button").click();
    await sent;
    // The tabs are stored a while after a change: once this mark is stored, so is all earlier input.
    await page.locator(".graphiql-query-editor .monaco-editor").click();
    await page.keyboard.insertText("# mark\n");
    await page.waitForFunction(() => localStorage.getItem("graphiql:tabState")?.includes("# mark"));
    const kept =
      (await page.evaluate(() => JSON.stringify([localStorage, sessionStorage].map(Object.entries)))) + page.url();
    expect(kept).not.toContain("key-text");
    await page.close();
  });

  test("on a phone, query and answer are stacked, each at full width", async () => {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    await page.goto(`${server.url}/graphql`);
    await execute(page);
    await page.locator(".result-window", { hasText: "totalCount" }).waitFor();
    const editor = await page.locator(".graphiql-editors").boundingBox();
    const answer = await page.locator(".graphiql-response").boundingBox();
    expect(editor?.width).toBeGreaterThan(300);
    expect(answer?.width).toBeGreaterThan(300);
    expect(answer?.y).toBeGreaterThanOrEqual((editor?.y ?? 0) + (editor?.height ?? 0));
    await page.close();
  });
});
