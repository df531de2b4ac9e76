/** The home screen and the frame around all screens: signing in, sample data, recent changes, the palette, the theme. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { hasBrowser } from "../../support/browser/browser.ts";
import { startConsoleForTests } from "../../support/console/console-for-tests.ts";
import { developmentKeys } from "../../support/console/development-keys.ts";
import { fastestOf, SHOWN_WITHIN } from "../../support/console/fastest-of.ts";
import { tabTo } from "../../support/console/keyboard.ts";
import { intercept } from "../../support/console/network.ts";
import { callRegistry } from "../../support/console/registry-sample.ts";

/** `--canvas` of console/src/styles/tokens.css, in browsers' notation. */
const DARK = "rgb(15, 20, 18)";

interface DomainList {
  readonly data: readonly { readonly id: string; readonly name: string; readonly verificationStatus: string }[];
}

describe.runIf(hasBrowser)("home", () => {
  const app = startConsoleForTests();

  test("an empty system suggests the next step, and one click adds sample data once [CN-41, CN-104]", async () => {
    const { page } = await app.open({ path: "/" });
    const add = page.getByRole("button", { name: "Add sample data" });
    const next = page.locator('.steps > [aria-current="step"]').getByRole("link");
    await next.filter({ hasText: "Create a domain" }).waitFor();
    await add.dblclick();
    await page.getByText("The sample data was added.").waitFor();
    await expect.poll(() => add.count()).toBe(0);
    const { data } = await callRegistry<DomainList>(app.server, "GET", "/v1/domains?limit=100&sort=createdAt");
    expect(data.map(({ name, verificationStatus }) => [name, verificationStatus])).toEqual([
      ["Clean Cooking Protocol (sample)", "AwaitingVerification"],
      ["Sample Stove Cooperative", "AwaitingVerification"],
      ["Lusaka Pellet Stoves (sample)", "Verified"],
      ["Ndola Ethanol Stoves (sample)", "UnderVote"],
      ["Kitwe Biogas (sample)", "AwaitingVerification"],
      ["Stove 1 (sample)", "AwaitingVerification"],
      ["Stove 2 (sample)", "AwaitingVerification"],
      ["Stove 3 (sample)", "AwaitingVerification"],
    ]);
    const verified = data.find(({ verificationStatus }) => verificationStatus === "Verified")?.id ?? "";
    const dial = page.locator(".steps").getByRole("link", { name: "Dial the phone" });
    await expect.poll(() => dial.getAttribute("href")).toBe(`/console/phone?about=${encodeURIComponent(verified)}`);
    // No step was taken yet.
    await next.filter({ hasText: "Create a domain" }).waitFor();
    expect(await page.locator(".steps > .done").count()).toBe(0);
    await page.getByRole("link", { name: "Lusaka Pellet Stoves (sample)" }).first().waitFor();
  });

  test("the registry's numbers and the caller's waiting items come first; a domain created elsewhere is counted [CN-261]", async () => {
    const { page } = await app.open({ path: "/" });
    const numbers = page.getByRole("region", { name: "Domains by verification" });
    const tile = (name: string) => numbers.getByRole("link", { name });
    await tile("8 Domains").waitFor();
    await tile("1 Verified").waitFor();
    await tile("1 Under vote").waitFor();
    await tile("6 Awaiting verification").waitFor();
    expect(await tile("0 Revoked").getAttribute("href")).toBe("/console/registry?verificationStatus=Revoked");
    const waiting = page.getByRole("region", { name: "Waiting for you" });
    const vote = waiting.getByRole("link", { name: "1 open vote needs your vote" });
    await vote.waitFor();
    expect(await vote.getAttribute("href")).toBe("/console/votes?mine=1");
    const order = await page.locator("main h2").allInnerTexts();
    expect(order.slice(0, 2)).toEqual(["Domains by verification", "Waiting for you"]);
    const body = { type: "Project", class: "did:ixo:protocol/clean-cooking", metadata: { name: "The ninth" } };
    await callRegistry(app.server, "POST", "/v1/domains", { body });
    await tile("9 Domains").waitFor();
  });

  test("a key that expires within a week is a waiting item for its holder and for the operator [CN-261]", async () => {
    const { key } = await callRegistry<{ readonly key: string }>(app.server, "POST", "/v1/api-keys", {
      body: {
        label: "Short",
        did: "did:web:short.example",
        scopes: ["domains:read"],
        expiresAt: new Date(Date.now() + 2 * 86_400_000).toISOString(),
      },
      key: developmentKeys().operatorToken,
    });
    const waitingOf = (page: Page) => page.getByRole("region", { name: "Waiting for you" });
    const holder = await app.open({ path: "/", signedIn: { apiKey: key } });
    await waitingOf(holder.page)
      .getByText(/^Your API key expires in /)
      .waitFor();
    const operator = await app.open({ path: "/" });
    const warning = waitingOf(operator.page).getByText("1 API key expires within a week");
    await warning.waitFor();
    expect(await warning.count()).toBe(1);
  });

  test("only the user's actions in this browser tick a step [CN-41, CN-104]", async () => {
    const { page, goto } = await app.open({ path: "/registry/new" });
    const done = page.locator(".steps > .done").getByRole("link");
    await page.getByLabel("Name", { exact: true }).fill("A domain of mine");
    await page.getByRole("button", { name: "Create the domain" }).click();
    await page.waitForURL(/\/registry\/domains\//);
    await goto("/");
    await expect.poll(() => done.allInnerTexts()).toEqual(["Create a domain"]);
    await goto("/votes/roll");
    await page.getByRole("button", { name: "Add a voter" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("DID").fill("did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK");
    await dialog.getByLabel("Name optional").fill("Chao");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Chao gets power 1.").waitFor();
    await dialog.getByRole("button", { name: "Add a voter" }).click();
    await expect.poll(() => dialog.count()).toBe(0);
    await goto("/votes?mine=1");
    await page.getByRole("link", { name: /^Verify Ndola/ }).click();
    await page.getByRole("radio", { name: /^yes /i }).click();
    await page.getByRole("button", { name: "Vote", exact: true }).click();
    await dialog.getByRole("button", { name: "Cast yes" }).click();
    await page.getByText("You voted yes").first().waitFor();
    await goto("/");
    await expect
      .poll(() => done.allInnerTexts())
      .toEqual(["Create a domain", "Add voters to the roll", "Vote on its verification"]);
    const other = await app.open({ path: "/" });
    await other.page.locator('.steps > [aria-current="step"]').getByText("Create a domain").waitFor();
    expect(await other.page.locator(".steps > .done").count()).toBe(0);
  });

  test("dialling the phone ticks its step, even on the next visit [CN-261]", async () => {
    const { page, goto } = await app.open({ path: "/phone" });
    await page.getByRole("button", { name: "Dial", exact: true }).click();
    await page.locator(".phone-display.live").waitFor();
    await goto("/");
    const step = page.locator(".steps > .done").filter({ hasText: "Dial the phone" });
    await step.waitFor();
    await page.reload();
    await step.waitFor();
    expect(await step.count()).toBe(1);
  });

  test("other users' changes appear within 2 s, with their age [CN-42]", async () => {
    const { page } = await app.open({ path: "/" });
    await page.getByRole("img", { name: /^Live/ }).waitFor();
    const entries = page.getByRole("listitem");
    const fastest = await fastestOf((number) => {
      const name = `Domain ${number} made elsewhere`;
      const body = { type: "Project", class: "did:ixo:protocol/clean-cooking", metadata: { name } };
      return {
        act: () => callRegistry(app.server, "POST", "/v1/domains", { body }),
        shown: () => entries.filter({ hasText: name }).waitFor(),
      };
    });
    expect(fastest).toBeLessThanOrEqual(SHOWN_WITHIN);
    const entry = entries.filter({ hasText: "Domain 1 made elsewhere" });
    expect(await entry.locator("time").getAttribute("title")).toMatch(/\d{4}/);
    // Its domain is shown by name from the start, not by DID until the name is known.
    const names = Promise.withResolvers<undefined>();
    await intercept(page, /\/graphql$/, async (route) => {
      await names.promise;
      await route.continue();
    });
    await page.reload();
    await page.locator('[aria-labelledby="home-recent"] > .skeleton').waitFor();
    names.resolve(undefined);
    await entry.waitFor();
  });

  test("one click signs a developer in by keyboard alone; signing out deletes the keys and the data they showed [CN-40]", async () => {
    const { page } = await app.open({ path: "/", signedIn: false });
    await tabTo(page, page.getByRole("button", { name: "Use this machine's development keys" }));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Recent changes" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Recent changes" }).waitFor();
    await tabTo(page, page.getByRole("button", { name: "Account" }));
    await page.keyboard.press("Enter");
    await tabTo(page, page.getByRole("button", { name: "Sign out" }));
    await page.keyboard.press("Enter");
    await tabTo(page, page.getByRole("dialog").getByRole("button", { name: "Sign out" }));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Sign in to see domains and votes" }).waitFor();
    expect(await page.getByText("made elsewhere").count()).toBe(0);
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
  });

  test("the dialog has this button on every screen [CN-40]", async () => {
    const { page } = await app.open({ path: "/registry", signedIn: false });
    await page.getByRole("banner").getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Use this machine's development keys" }).click();
    await page.getByRole("table").or(page.getByRole("list")).first().waitFor();
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
  });

  test("a key that the registry does not know is refused in the dialog and not stored [CN-40]", async () => {
    const { page, faults } = await app.open({ path: "/", signedIn: false });
    faults.allow(/401/);
    await page.getByRole("button", { name: "Sign in" }).first().click();
    await page.getByLabel("Registry API key").fill("twe_test_wrong");
    await page.getByRole("dialog").getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("The registry does not accept this API key.").waitFor();
    expect(await page.getByLabel("Registry API key").getAttribute("aria-invalid")).toBe("true");
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
  });

  test("the palette finds screens and domains by keyboard [CN-43]", async () => {
    const { page } = await app.open({ path: "/" });
    // From then on, the page handles keys.
    await page.getByRole("img", { name: /^Live/ }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("kitwe");
    await page.getByRole("option", { name: "Domain: Kitwe Biogas (sample)" }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/console\/registry\/domains\//);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("chain no such thing");
    await page.getByText("No matches.").waitFor();
    await page.getByRole("combobox").fill("api key");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/console\/keys\/new$/);
    await page.goBack();
    await expect.poll(() => page.url()).toMatch(/\/console\/registry\/domains\//);
  });

  test("the theme follows the system until the user chooses one, which is stored for the next visit [CN-44]", async () => {
    const { page } = await app.open({ path: "/", theme: "light" });
    const ground = (): Promise<string> => page.evaluate("getComputedStyle(document.body).backgroundColor");
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(ground).toBe(DARK);
    await page.emulateMedia({ colorScheme: "light" });
    await expect.poll(ground).not.toBe(DARK);
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByRole("radio", { name: "Dark" }).check();
    await expect.poll(ground).toBe(DARK);
    await page.reload();
    await page.getByRole("heading", { level: 1 }).waitFor();
    await expect.poll(ground).toBe(DARK);
  });

  test("operators see the last 24 hours in graphs, with the numbers in words [CN-306]", async () => {
    const answered = await fetch(`${app.server.url}/ixo/token/params`);
    expect(answered.status).toBe(200);
    const { page } = await app.open({ path: "/" });
    const graph = page.getByRole("region", { name: "Last 24 hours" }).getByRole("img", { name: /^Chain calls: [1-9]/ });
    await expect
      .poll(
        async () => {
          await page.reload();
          await page.getByRole("region", { name: "Last 24 hours" }).getByRole("img").first().waitFor();
          return graph.count();
        },
        { timeout: 20_000 },
      )
      .toBe(1);
    expect(await page.getByRole("img", { name: "Failed chain calls: 0, at most 0 in one hour" }).count()).toBe(1);
    const anonymous = await app.open({ path: "/", signedIn: false });
    await anonymous.page.getByRole("heading", { level: 1 }).waitFor();
    expect(await anonymous.page.getByRole("region", { name: "Last 24 hours" }).count()).toBe(0);
  });
});
