/** A tab's keys and their lifetime: other keys, other tabs, an idle user, and a browser that stores nothing. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { hasBrowser } from "../../support/browser/browser.ts";
import { startConsoleForTests } from "../../support/console/console-for-tests.ts";
import { developmentKeys } from "../../support/console/development-keys.ts";
import { callRegistry } from "../../support/console/registry-sample.ts";
import { signOut } from "../../support/console/sign-out.ts";

/** Milliseconds. */
const MINUTE = 60_000;
const SECOND = 1_000;

const bannerOf = (page: Page) => page.getByRole("banner");
const dialogOf = (page: Page) => page.getByRole("dialog");
const isSignedOut = (page: Page) => bannerOf(page).getByRole("button", { name: "Sign in" }).waitFor();

describe.runIf(hasBrowser)("a session", () => {
  const app = startConsoleForTests();
  const issue = async (label: string, did: string): Promise<{ readonly id: string; readonly key: string }> =>
    callRegistry(app.server, "POST", "/v1/api-keys", {
      body: { label, did, scopes: ["domains:write"] },
      key: developmentKeys().operatorToken,
    });
  const changeKeys = async (page: Page, apiKey: string): Promise<void> => {
    await bannerOf(page).getByRole("button", { name: "Account" }).click();
    await bannerOf(page).getByRole("button", { name: "Change keys" }).click();
    await dialogOf(page).getByLabel("Registry API key").fill(apiKey);
    await dialogOf(page).getByRole("button", { name: "Sign in", exact: true }).click();
  };

  test("with another user's key has nothing of the previous user: no token, no answer, no feed, no form without a question [CN-236]", async () => {
    const { key } = await issue("Brian's laptop", "did:web:brian.example");
    const { page, faults } = await app.open({ path: "/registry/new" });
    faults.watchSecret(key);
    await bannerOf(page).getByRole("img", { name: /^Live/ }).waitFor();
    await page.getByLabel("Name", { exact: true }).fill("Half a domain");
    await changeKeys(page, key);
    await dialogOf(page).getByText("This API key belongs to a different holder").waitFor();
    await dialogOf(page).getByText("The domain has not been created.").waitFor();
    const followed = page.waitForRequest(
      (request) => request.url().includes("/v1/changes") && request.headers()["authorization"] === `Bearer ${key}`,
    );
    await dialogOf(page).getByRole("button", { name: "Discard and sign in" }).click();
    await followed;
    await dialogOf(page).waitFor({ state: "detached" });
    await bannerOf(page).getByRole("img", { name: /^Live/ }).waitFor();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("");
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Keys and webhooks" }).click();
    await page.getByText("This needs the operator's token").first().waitFor();
    await bannerOf(page).getByRole("button", { name: "Account" }).click();
    await bannerOf(page).getByText("Brian's laptop").waitFor();
  });

  test("of a tab with a token alone ends with an API key: the token may be another user's [CN-236]", async () => {
    const { key } = await issue("Chao's laptop", "did:web:chao.example");
    const { operatorToken } = developmentKeys();
    const { page, faults } = await app.open({ path: "/keys", signedIn: { operatorToken } });
    faults.watchSecret(key);
    await bannerOf(page).getByRole("button", { name: "Account" }).click();
    await bannerOf(page).getByRole("button", { name: "Change keys" }).click();
    await dialogOf(page).getByLabel("Registry API key").fill(key);
    await dialogOf(page).getByRole("button", { name: "Sign in", exact: true }).click();
    await dialogOf(page).waitFor({ state: "detached" });
    await page.getByText("This needs the operator's token").first().waitFor();
    await bannerOf(page).getByRole("button", { name: "Account" }).click();
    await bannerOf(page).getByText("Chao's laptop").waitFor();
    expect(await page.getByRole("table").count()).toBe(0);
  });

  test("with another key of its user keeps the input and the tokens [CN-236]", async () => {
    const { key } = await issue("A second key", "did:web:localhost");
    const { page, faults } = await app.open({ path: "/registry/new" });
    faults.watchSecret(key);
    await bannerOf(page).getByRole("img", { name: /^Live/ }).waitFor();
    await page.getByLabel("Name", { exact: true }).fill("A domain of mine");
    await changeKeys(page, key);
    await dialogOf(page).waitFor({ state: "detached" });
    await bannerOf(page).getByRole("button", { name: "Account" }).click();
    await bannerOf(page).getByText("A second key").waitFor();
    await page.keyboard.press("Escape");
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("A domain of mine");
  });

  test("checks each key once, at its field, and accepts none while one is wrong [CN-236]", async () => {
    const { page } = await app.open({ signedIn: false, allow: [/^answer: 401 GET/] });
    await bannerOf(page).getByRole("button", { name: "Sign in" }).click();
    const dialog = dialogOf(page);
    const send = dialog.getByRole("button", { name: "Sign in", exact: true });
    await send.click();
    await dialog.getByText("Enter at least one key.").waitFor();
    await dialog.getByLabel("Registry API key").fill(developmentKeys().apiKey);
    await dialog.getByLabel(/^Operator's token/).fill("wrong");
    await dialog.getByLabel(/^Phone operator's token/).fill("wrong too");
    await send.click();
    await dialog.getByText("The registry does not accept this token.").waitFor();
    await dialog.getByText("The phone gateway does not accept this token.").waitFor();
    expect(await dialog.getByLabel("Registry API key").getAttribute("aria-invalid")).not.toBe("true");
    await isSignedOut(page);
  });

  test("whose own key is revoked shows that the tab is signed out [CN-236]", async () => {
    const { id, key } = await issue("For a day", "did:web:chao.example");
    const { page } = await app.open({
      path: `/keys/${id}`,
      signedIn: { ...developmentKeys(), apiKey: key },
      allow: [/^answer: 401 GET/],
    });
    await page.getByRole("button", { name: "Revoke" }).click();
    await dialogOf(page)
      .getByText("This is the key of this tab")
      .or(dialogOf(page).locator("p").first())
      .first()
      .waitFor();
    await dialogOf(page).getByRole("button", { name: "Revoke the key" }).click();
    await page.getByText("Revoked").first().waitFor();
    await bannerOf(page).getByRole("button", { name: "Account" }).click();
    await bannerOf(page).getByRole("button", { name: "Sign out" }).waitFor();
    expect(await bannerOf(page).getByText("Signed in as").count()).toBe(0);
  });

  test("whose key expires reports it once, is not live, keeps its content, and continues after signing in [CN-300]", async () => {
    const { key } = await callRegistry<{ readonly key: string }>(app.server, "POST", "/v1/api-keys", {
      body: {
        label: "A short visit",
        did: "did:web:short.example",
        scopes: ["domains:read", "verification:vote"],
        expiresAt: new Date(Date.now() + 8 * SECOND).toISOString(),
      },
      key: developmentKeys().operatorToken,
    });
    const { page, faults } = await app.open({
      path: "/votes",
      signedIn: { apiKey: key },
      allow: [/^answer: 401 (GET|POST) \/(v1|graphql)/],
    });
    const live = bannerOf(page).getByRole("img", { name: /^Live/ });
    await live.waitFor();
    await page.getByText("No vote is open").waitFor();
    const notice = page.getByText("Your key has expired. Sign in again.");
    await notice.waitFor();
    const holds = async (): Promise<void> => {
      expect(await notice.count()).toBe(1);
      expect(await page.getByRole("alert").count()).toBe(1);
      expect(await page.locator("main .notice").count()).toBe(0);
      await expect.poll(() => live.count()).toBe(0);
    };
    await holds();
    await page.getByText("No vote is open").waitFor();
    await page.reload();
    await notice.waitFor();
    await holds();
    const refusals = faults.found().length;
    await page.locator(".page-notice").getByRole("button", { name: "Sign in" }).click();
    await dialogOf(page).getByRole("button", { name: "Use this machine's development keys" }).click();
    await live.waitFor();
    await page.getByText("No vote is open").waitFor();
    expect([await notice.count(), refusals]).toEqual([0, 0]);
  });

  test("ends in every tab when one signs out, with a message [CN-238]", async () => {
    const { page, context } = await app.open({ path: "/registry" });
    const other = await context.newPage();
    await other.goto(page.url());
    await bannerOf(other).getByRole("img", { name: /^Live/ }).waitFor();
    await signOut(page);
    await isSignedOut(page);
    await dialogOf(other).getByText("You were signed out in another tab.").waitFor();
    await dialogOf(other).getByRole("button", { name: "Close" }).last().click();
    await isSignedOut(other);
    expect(await other.locator("main").getByRole("table").count()).toBe(0);
  });

  test("ends after 30 minutes without use, a minute after a question; use extends it [CN-238]", async () => {
    const { page } = await app.open({ path: "/registry", prepare: (fresh) => fresh.clock.install() });
    await bannerOf(page).getByRole("img", { name: /^Live/ }).waitFor();
    await page.clock.fastForward(28 * MINUTE);
    expect(await dialogOf(page).count()).toBe(0);
    await page.clock.fastForward(MINUTE);
    await dialogOf(page).getByText("This console has not been used for a while.").waitFor();
    await dialogOf(page).getByRole("button", { name: "Stay signed in" }).click();
    await dialogOf(page).waitFor({ state: "detached" });
    await page.clock.fastForward(28 * MINUTE);
    expect(await dialogOf(page).count()).toBe(0);
    await page.clock.fastForward(2 * MINUTE);
    await dialogOf(page).getByText("this console was not used for 30 minutes").waitFor();
    await dialogOf(page).getByRole("button", { name: "Sign in" }).click();
    await dialogOf(page).getByLabel("Registry API key").waitFor();
    expect(await page.locator("main").getByRole("table").count()).toBe(0);
  });

  test("works in a browser that blocks site data, and explains the consequences [CN-237]", async () => {
    const blocked = `for (const name of ["sessionStorage", "localStorage"])
      Object.defineProperty(window, name, { get() { throw new DOMException("denied", "SecurityError"); } });`;
    const { page } = await app.open({ signedIn: false, prepare: (fresh) => fresh.addInitScript(blocked) });
    await bannerOf(page).getByRole("button", { name: "Sign in" }).click();
    await dialogOf(page).getByText("This browser stores nothing for this page, so a reload signs you out.").waitFor();
    await dialogOf(page).getByRole("button", { name: "Use this machine's development keys" }).click();
    await page.getByRole("heading", { name: "Recent changes" }).waitFor();
    await bannerOf(page).getByRole("button", { name: "Account" }).click();
    await page.getByRole("radio", { name: "Dark" }).check();
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Chat" }).click();
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Queries" }).click();
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(await bannerOf(page).getByRole("button", { name: "Sign in" }).count()).toBe(0);
    await page.reload();
    const notice = page.locator(".page-notice");
    await notice.getByText("The reload signed you out, because this browser stores nothing for this page.").waitFor();
    await notice.getByRole("button", { name: "Sign in" }).click();
    await dialogOf(page).getByRole("button", { name: "Use this machine's development keys" }).click();
    await expect.poll(() => notice.innerText()).toBe("");
    await signOut(page);
    await isSignedOut(page);
    await page.reload();
    await isSignedOut(page);
    expect(await notice.innerText()).toBe("");
    // A later check of its storage would be refused.
    await page.close();
  });
});
