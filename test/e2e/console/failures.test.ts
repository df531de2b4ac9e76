/** What people see when the server refuses, fails or is gone, and that nothing they have typed is lost by it. */
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { hasBrowser } from "../../support/browser/browser.ts";
import { startConsoleForTests } from "../../support/console/console-for-tests.ts";
import { REFUSED_REQUEST_ID, cut, refuse, type Refusal } from "../../support/console/network.ts";
import { callRegistry } from "../../support/console/registry-sample.ts";

interface Asked {
  readonly path: string;
  /** What the screen asks for first, as a pattern over the whole address. */
  readonly request: string;
}
const screens: readonly Asked[] = [
  { path: "/", request: "**/v1/changes?latest=20" },
  { path: "/registry", request: "**/v1/domains?*" },
  { path: "/votes", request: "**/v1/proposals?*" },
  { path: "/votes/roll", request: "**/v1/voters?*" },
  { path: "/phone/operator", request: "**/api/ussd/sessions" },
  { path: "/keys", request: "**/v1/api-keys?*" },
  { path: "/queries", request: "**/openapi/query-gateway.json" },
  { path: "/keys/webhooks", request: "**/v1/webhooks?*" },
];

type Refused = Refusal & { readonly says: string };

/** One list for each page, which meets them one after the other. The 500 has a page of its own: it is asked for again longest. */
const refusals: readonly (readonly Refused[])[] = [
  [
    { status: 401, says: "Refused with 401 by the test." },
    { status: 402, says: "Refused with 402 by the test." },
    { status: 429, says: "Wait 1 s before you try again.", retryAfter: 1 },
  ],
  [{ status: 500, says: "Refused with 500 by the test." }],
];

/** The page's own note on an answer that a test gives in the server's place. */
const refused = /^answer: (401|402|429|500) /;

const newDomain = (name: string) => ({
  body: { type: "Project", class: "did:ixo:protocol/clean-cooking", metadata: { name } },
});

describe.runIf(hasBrowser)("a failure", () => {
  const app = startConsoleForTests();

  test.each(screens)(
    "of $request on $path: 401, 402, 429 and 500 are a sentence with the request id, and a retry brings the screen back [CN-33]",
    async ({ path, request }) => {
      const left = await Promise.all(refusals.map((list) => meetOnOnePage(path, request, list)));
      expect(left).toEqual(refusals.map(() => 0));
    },
  );

  /** Opens the screen once for each of these failures, which it shows; then the server answers again. Returns the failures left. */
  async function meetOnOnePage(path: string, request: string, list: readonly Refused[]): Promise<number> {
    const { page, goto } = await app.open({ path: "/nowhere", allow: [refused] });
    const alerts = page.locator("main").getByRole("alert");
    const alert = alerts.first();
    for (const { says, ...refusal } of list) {
      const answerAgain = await refuse(page, request, refusal);
      await goto(path);
      await alert.getByText(says, { exact: true }).waitFor();
      await alert.getByText(REFUSED_REQUEST_ID).waitFor();
      if (refusal.status === 401) await alert.getByRole("button", { name: "Sign in" }).waitFor();
      await answerAgain();
      await expect.poll(() => retryAll(page, alerts)).toBe(0);
    }
    return alerts.count();
  }

  /**
   * How many failures are left. What asks for two things has a retry for each; one of them may have succeeded by itself meanwhile, or
   * hear of a refusal late.
   */
  async function retryAll(page: Page, alerts: Locator): Promise<number> {
    for (const retry of await alerts.getByRole("button", { name: "Try again" }).all())
      await retry.click({ timeout: 1_000 }).catch(() => undefined);
    await page.locator("main .skeleton").first().waitFor({ state: "detached" });
    return alerts.count();
  }

  test("for want of a key names it, and the screen is there after signing in [CN-33]", async () => {
    const { page } = await app.open({ path: "/registry", signedIn: false, allow: [/^answer: 401 GET/] });
    const notice = page.locator("main .notice");
    await notice.getByText("This needs a registry API key").waitFor();
    await notice.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Use this machine's development keys" }).click();
    await page.locator("main .data-age").waitFor();
    expect(await notice.count()).toBe(0);
  });

  test("of the sign-in keeps the key that was typed [CN-33]", async () => {
    const { page, faults } = await app.open({ signedIn: false, allow: [refused] });
    await page.getByRole("banner").getByRole("button", { name: "Sign in" }).click();
    const field = page.getByRole("dialog").getByLabel("Registry API key");
    faults.watchSecret("twe_test_a-key-that-is-typed");
    await field.fill("twe_test_a-key-that-is-typed");
    const answerAgain = await refuse(page, "**/v1/api-keys/current", { status: 500 });
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByRole("alert").getByText(REFUSED_REQUEST_ID).waitFor();
    expect(await field.inputValue()).toBe("twe_test_a-key-that-is-typed");
    await answerAgain();
    await page.keyboard.press("Enter");
    await page.getByText("The registry does not accept this API key.").waitFor();
    expect(await field.inputValue()).toBe("twe_test_a-key-that-is-typed");
  });

  test("of the whole server keeps what is shown, and the screen follows again when it is back [CN-34]", async () => {
    const { page, faults } = await app.open();
    faults.allow(/^console error: .*net::ERR_/, /^answer: 5\d\d /);
    await callRegistry(app.server, "POST", "/v1/domains", newDomain("Before the power cut"));
    await changeOf(page, "Before the power cut");
    await app.server.kill();
    await page.getByRole("img", { name: /^Reconnecting: the change feed is interrupted/ }).waitFor();
    expect(await page.locator("main").getByText("Before the power cut").count()).toBeGreaterThan(0);
    await app.server.startAgain();
    await callRegistry(app.server, "POST", "/v1/domains", newDomain("After the power cut"));
    await changeOf(page, "After the power cut");
    await page.getByRole("img", { name: "Live: other people's changes appear automatically" }).waitFor();
  });

  test("of the network is shown in words with the time of the data, by one notice too, and ends by itself [CN-262]", async () => {
    const { page, context, faults } = await app.open();
    faults.allow(/^console error: .*net::ERR_/);
    await page.getByRole("img", { name: /^Live/ }).waitFor();
    await context.setOffline(true);
    await page.getByRole("img", { name: /^Offline: shown as of \d\d:\d\d\./ }).waitFor();
    await page
      .getByRole("banner")
      .getByText(/^Offline: shown as of \d\d:\d\d$/)
      .waitFor();
    const banner = page.locator(".page-notice").getByText(/^Offline: shown as of .* when you are back online$/);
    await banner.waitFor();
    await page.setViewportSize({ width: 320, height: 800 });
    await banner.waitFor();
    await callRegistry(app.server, "POST", "/v1/domains", newDomain("Created while offline"));
    await context.setOffline(false);
    await changeOf(page, "Created while offline");
    await page.getByRole("img", { name: /^Live/ }).waitFor();
    expect(await banner.count()).toBe(0);
  });

  test("of the network on the home screen is said where it looks for what waits, which loads by itself afterwards [CN-261]", async () => {
    const { page, context, faults } = await app.open({
      prepare: (fresh) => cut(fresh, /\/v1\/(?:api-keys|proposals|webhooks)/),
    });
    faults.allow(/^console error: .*net::ERR_/);
    const waiting = page.getByRole("region", { name: "Waiting for you" });
    await waiting.getByText("The server did not answer.").waitFor();
    expect(await waiting.getByText("Looking for open tasks").count()).toBe(0);
    await context.setOffline(true);
    await page.unrouteAll();
    await context.setOffline(false);
    await waiting.getByText("Nothing is waiting for you.").waitFor();
  });
});

/** The recent change that names a domain. */
async function changeOf(page: Page, name: string): Promise<void> {
  await page.locator("main").getByText(name).first().waitFor();
}
