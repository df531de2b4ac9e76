/** Screens when the server refuses, fails or is unreachable, without losing the user's input. */
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { hasBrowser } from "../../support/browser/browser.ts";
import { startConsoleForTests } from "../../support/console/console-for-tests.ts";
import { REFUSED_REQUEST_ID, cut, refuse, type Refusal } from "../../support/console/network.ts";
import { callRegistry } from "../../support/console/registry-sample.ts";

interface Asked {
  readonly path: string;
  /** The screen's first request, as a pattern over the whole address. */
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

/** One list per page, which gets these refusals in turn. The 500 has a separate page: it is retried longest. */
const refusals: readonly (readonly Refused[])[] = [
  [
    { status: 401, says: "Refused with 401 by the test." },
    { status: 402, says: "Refused with 402 by the test." },
    { status: 429, says: "Wait 1 s before you try again.", retryAfter: 1 },
  ],
  [{ status: 500, says: "Refused with 500 by the test." }],
];

/** The page's message about an answer that the test sends in place of the server. */
const refused = /^answer: (401|402|429|500) /;

const newDomain = (name: string) => ({
  body: { type: "Project", class: "did:ixo:protocol/clean-cooking", metadata: { name } },
});

describe.runIf(hasBrowser)("a failure", () => {
  const app = startConsoleForTests();

  test.each(screens)(
    "of $request on $path: 401, 402, 429 and 500 are a sentence with the request id, and a retry restores the screen [CN-33]",
    async ({ path, request }) => {
      const left = await Promise.all(refusals.map((list) => meetOnOnePage(path, request, list)));
      expect(left).toEqual(refusals.map(() => 0));
    },
  );

  /**
   * Opens the screen once for each of these failures, which it shows; then the server answers again. Returns the remaining
   * failures.
   */
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
   * The number of remaining failures. A screen with two requests has a retry for each; one may have succeeded automatically
   * meanwhile, or receive a refusal late.
   */
  async function retryAll(page: Page, alerts: Locator): Promise<number> {
    for (const retry of await alerts.getByRole("button", { name: "Try again" }).all())
      await retry.click({ timeout: 1_000 }).catch(() => undefined);
    await page.locator("main .skeleton").first().waitFor({ state: "detached" });
    return alerts.count();
  }

  test("for lack of a key names it, and signing in restores the screen [CN-33]", async () => {
    const { page } = await app.open({ path: "/registry", signedIn: false, allow: [/^answer: 401 GET/] });
    const notice = page.locator("main .notice");
    await notice.getByText("This needs a registry API key").waitFor();
    await notice.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Use this machine's development keys" }).click();
    await page.locator("main .data-age").waitFor();
    expect(await notice.count()).toBe(0);
  });

  test("of the sign-in keeps the typed key [CN-33]", async () => {
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

  test("of the whole server keeps the content shown, and the screen updates again after it returns [CN-34]", async () => {
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

  test("of the network is explained with the time of the data, by one notice too, and recovers automatically [CN-262]", async () => {
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

  test("of the network on the home screen is shown where it looks for waiting items, which load automatically afterwards [CN-261]", async () => {
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
