/** Possible attacks: addresses that others send, texts that others write into the registry, keys left in the browser. */
import { describe, expect, test } from "vitest";
import { PART_LINES } from "../../../console/src/files/file-parts.ts";
import { hasBrowser } from "../../support/browser/browser.ts";
import { startConsoleForTests } from "../../support/console/console-for-tests.ts";
import { developmentKeys } from "../../support/console/development-keys.ts";
import { intercept } from "../../support/console/network.ts";
import { callRegistry } from "../../support/console/registry-sample.ts";
import { signOut } from "../../support/console/sign-out.ts";

describe.runIf(hasBrowser)("attacks", () => {
  const app = startConsoleForTests();
  const create = async (metadata: object, document: object = {}): Promise<string> => {
    const body = { type: "Project", class: "did:ixo:protocol/clean-cooking", metadata, document };
    return (await callRegistry(app.server, "POST", "/v1/domains", { body })).id;
  };

  test("an address of the queries screen sends no request to the rest of the service, and no key [CN-190]", async () => {
    const signedIn = { ...developmentKeys(), gatewaySecret: developmentKeys().operatorToken };
    const { page, goto } = await app.open({ path: "/queries", signedIn });
    const sent: string[] = [];
    page.on("request", (request) => void sent.push(`${request.method()} ${new URL(request.url()).pathname}`));
    const refusal = page.getByText("Only chain queries are sent from here.");
    for (const path of ["/v1/api-keys", "/cosmos/../v1/api-keys", String.raw`/cosmos/..\v1/api-keys`]) {
      await goto(`/queries?path=${encodeURIComponent(path)}&access=bearer&sent=1`);
      await refusal.waitFor();
    }
    await goto("/queries?path=/console/development-sign-in&method=POST&sent=1");
    await page.getByRole("button", { name: "Send" }).click();
    await refusal.waitFor();
    expect(sent).not.toContain("GET /v1/api-keys");
    expect(sent).not.toContain("POST /console/development-sign-in");
  });

  test("an address of the queries screen changes no object of the page [CN-191]", async () => {
    const names = "p.__proto__.polluted=1&p.constructor.prototype.polluted=2&p.a=1&p.a.b=2";
    const { page } = await app.open({ path: `/queries?path=/cosmos/bank/v1beta1/params/{constructor}&${names}` });
    await page.getByRole("textbox", { name: "a.b" }).waitFor();
    expect(await page.evaluate("({}).polluted")).toBeUndefined();
  });

  test("signing out clears the data read on every screen, whatever it was doing [CN-192]", async () => {
    const id = encodeURIComponent(await create({ name: "Known to members" }));
    const screens = [
      "/registry",
      `/registry/domains/${id}`,
      `/registry/domains/${id}?tab=json`,
      `/votes/new?domain=${id}`,
    ];
    await Promise.all(
      screens.map(async (path) => {
        const { page } = await app.open({ path, allow: [/^answer: 401/] });
        const main = page.getByRole("main");
        await main.getByText("Known to members").first().waitFor();
        await signOut(page);
        await page.getByRole("banner").getByRole("button", { name: "Sign in" }).waitFor();
        await expect.poll(() => main.innerText()).not.toContain("Known to members");
      }),
    );
  });

  test("closing the sign-in dialog cancels the sign-in [CN-192]", async () => {
    const { page } = await app.open({ signedIn: false });
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await intercept(page, "**/console/development-sign-in", async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole("banner").getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Use this machine's development keys" }).click();
    await page.keyboard.press("Escape");
    const checked = page.waitForResponse("**/v1/api-keys/current");
    release();
    await (await checked).finished();
    await page.evaluate("new Promise((resolve) => setTimeout(resolve))");
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
  });

  test("an import ends with signing out, and does not continue with the next key; leaving pasted lines asks first [CN-192, CN-197]", async () => {
    // An import that is new to the server.
    const { page } = await app.open({
      path: "/registry/import",
      allow: [/^answer: 401/, /^answer: 404 GET .v1.imports/],
    });
    const lines = /\/v1\/imports\/[^/]+\/lines/;
    await intercept(page, lines, () => new Promise(() => undefined));
    await page.getByText("Or paste lines").click();
    await page.getByLabel("Lines").fill("{}\n".repeat(PART_LINES + 1));
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Home" }).click();
    await page.getByRole("dialog").getByText("The lines that you pasted have not been imported").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Stay here" }).click();
    const first = page.waitForRequest(lines);
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await first;
    const ended = page.waitForEvent("requestfailed", (request) => lines.test(request.url()));
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("dialog").getByText("The running import will stop.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Sign out and discard" }).click();
    await ended;
    await page.getByRole("banner").getByRole("button", { name: "Sign in" }).waitFor();
    await expect.poll(() => page.getByRole("progressbar").count()).toBe(0);
  });

  test("a feed that cannot be joined at once is joined later [CN-193]", async () => {
    let refusals = 0;
    const { page } = await app.open({
      allow: [/^answer: 429/],
      prepare: (opening) =>
        opening.route(/\/v1\/changes\?.*latest=1/, async (route) => {
          refusals += 1;
          if (refusals > 1) return route.fallback();
          await route.fulfill({ status: 429, headers: { "Retry-After": "1" }, body: "{}" });
        }),
    });
    await page.getByRole("img", { name: /^Live/ }).waitFor();
    expect(refusals).toBeGreaterThan(1);
  });

  test("other people's texts are only text: no script runs, and links lead only to the web [CN-194]", async () => {
    const hostile = `<img src=x onerror=alert(1)>"'\`\${1}</script><script>alert(2)</script>`;
    const id = encodeURIComponent(
      await create(
        {
          name: hostile,
          description: hostile,
          url: "javascript:alert(3)",
          image: "data:text/html,<script>alert(4)</script>",
        },
        { service: [{ id: "#s", type: "LinkedDomains", serviceEndpoint: "javascript:alert(5)" }] },
      ),
    );
    const { page, goto } = await app.open({ path: "/registry" });
    const dialogs: string[] = [];
    page.on("dialog", (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const tabs = ["", "?tab=document", "?tab=services", "?tab=did", "?tab=json", "?tab=history"];
    for (const path of [
      "/",
      "/registry",
      ...tabs.map((tab) => `/registry/domains/${id}${tab}`),
      `/votes/new?domain=${id}`,
    ]) {
      await goto(path);
      await page.getByText("<img src=x").first().waitFor({ state: "attached" });
      const schemes = await page.evaluate<readonly string[]>(
        "[...document.body.querySelectorAll('[href],[src],[action]')].map((each) => new URL(each.getAttribute('href') ?? each.getAttribute('src') ?? each.getAttribute('action'), document.baseURI).protocol)",
      );
      expect(schemes.filter((scheme) => !/^(https?|mailto):$/.test(scheme))).toEqual([]);
    }
    expect(dialogs).toEqual([]);
  });
});
