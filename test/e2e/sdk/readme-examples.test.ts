/** The examples of sdk/README.md work as the README says, in a browser, with a successful turn and a failed one. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "../../support/browser/browser.ts";
import { startSdkPages, type SdkPages } from "../../support/sdk/sdk-pages.ts";

declare const window: { say(text: string): Promise<void> };

describe.runIf(hasBrowser)("the README's examples", () => {
  let pages: SdkPages;
  beforeAll(async () => {
    pages = await startSdkPages();
  });
  afterAll(() => pages.close());

  test("are drawn with a reply, a failed turn, a tool call and an action [SD-295]", async () => {
    const user = await pages.signUp();
    const sessionId = await user.newSession();
    const context = await pages.browser.newContext();
    // The chain's index, which gives the address of an oracle that is configured without one.
    await context.route("https://devnet-blocksync-graphql.ixo.earth/graphql", (route) => {
      const service = [{ id: "#api", type: "oracleService", serviceEndpoint: pages.server.url }];
      return route.fulfill({
        json: { data: { entity: { service } } },
        headers: { "access-control-allow-origin": "*" },
      });
    });
    const { page, faults } = await pages.open("readme", user, { settings: { sessionId }, context });
    await page.locator("footer", { hasText: "ready true 0" }).waitFor();
    const say = (text: string) => page.evaluate((text) => window.say(text), text);
    await say("hello");
    await page.locator("main", { hasText: "You said: hello" }).waitFor();
    await say("/fail unknown");
    const failure = page.locator("main [role=alert]");
    await failure.waitFor();
    const said = await failure.textContent();
    expect(said).not.toBe("");
    await say('/tool show_table {"rows":[["a","b"]]}');
    await page.locator("main pre", { hasText: "a,b" }).waitFor();
    await say("/tool page_title {}");
    await page.locator("main summary", { hasText: "page_title" }).first().waitFor();
    await page.locator("output", { hasText: "providers" }).waitFor();
    expect(await page.locator("aside").textContent()).toContain("0 messages");
    const shown = await page.locator("body").innerText();
    expect(shown).not.toMatch(/undefined|\[object/);
    expect(faults).toEqual([]);
  });
});
