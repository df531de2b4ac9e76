/** Behaviour shared by all parts of the console: questions in progress, dialogs with entries, navigation, keys and names. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "../../support/browser/browser.ts";
import { axeViolations } from "../../support/console/axe.ts";
import { readClipboard } from "../../support/console/clipboard.ts";
import { startConsoleForTests } from "../../support/console/console-for-tests.ts";
import { developmentKeys } from "../../support/console/development-keys.ts";
import { intercept } from "../../support/console/network.ts";
import { callRegistry, registrySample, type RegistrySample } from "../../support/console/registry-sample.ts";

const dialogOf = (page: Page) => page.getByRole("dialog");
const button = (where: Page | Locator, name: string) => where.getByRole("button", { name, exact: true });
const encoded = encodeURIComponent;

describe.runIf(hasBrowser)("everywhere", () => {
  const app = startConsoleForTests();
  let sample: RegistrySample;
  beforeAll(async () => {
    sample = await registrySample(app.server);
  });
  const newDomain = async (name: string): Promise<string> => {
    const body = { type: "Project", class: "did:ixo:protocol/clean-cooking", metadata: { name } };
    return (await callRegistry(app.server, "POST", "/v1/domains", { body })).id;
  };

  test("a question that was answered cannot be dismissed until the response or 30 seconds [CN-241]", async () => {
    const id = await newDomain("Short-lived");
    const { page } = await app.open({
      path: `/registry/domains/${encoded(id)}`,
      prepare: (fresh) => fresh.clock.install(),
    });
    const released = Promise.withResolvers<undefined>();
    await intercept(page, `**/v1/domains/${encoded(id)}`, async (route) => {
      if (route.request().method() === "PATCH") await released.promise;
      await route.continue();
    });
    await button(page, "Suspend or deactivate").click();
    await button(page, "Suspend").click();
    const dialog = dialogOf(page);
    const confirm = dialog.getByRole("button", { name: /^Suspend/ });
    const sent = page.waitForRequest((request) => request.method() === "PATCH");
    await confirm.click();
    await sent;
    await dialog.getByText("waiting for the server's answer").waitFor();
    await page.keyboard.press("Escape");
    expect(await dialog.getByRole("button").count()).toBe(1);
    await page.clock.fastForward(29_000);
    expect(await button(dialog, "Close").count()).toBe(0);
    await page.clock.fastForward(1_000);
    await dialog.getByText("The server has not answered yet").waitFor();
    await button(dialog, "Close").last().waitFor();
    released.resolve(undefined);
    await dialog.waitFor({ state: "detached" });
  });

  test("a dialog with entries is closed after a question, and Escape answers it by staying [CN-249]", async () => {
    const { page } = await app.open({ path: "/votes/roll" });
    await button(page, "Add a voter").click();
    const dialog = dialogOf(page);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await button(page, "Add a voter").click();
    await dialog.getByLabel("DID").fill("did:web:half");
    await page.keyboard.press("Escape");
    await dialog.getByText("The roll has not been changed.").waitFor();
    await page.keyboard.press("Escape");
    await dialog.getByLabel("DID").waitFor();
    expect(await dialog.getByLabel("DID").inputValue()).toBe("did:web:half");
    await dialog.getByRole("button", { name: "Close" }).click();
    await button(dialog, "Leave and discard").click();
    await dialog.waitFor({ state: "detached" });
  });

  test("a page that is opened from another one has the focus and starts at its top, and going back returns to the place [CN-243]", async () => {
    for (let at = 1; at <= 25; at += 1) await newDomain(`Stove ${String(at).padStart(2, "0")} of the village`);
    const { page } = await app.open({ path: "/registry?q=village&pageSize=50" });
    const link = page.getByRole("link", { name: "of the village" }).last();
    await link.waitFor();
    await link.scrollIntoViewIfNeeded();
    const offset = await page.evaluate<number>("scrollY");
    expect(offset).toBeGreaterThan(100);
    await link.click();
    await page.getByRole("heading", { level: 1, name: "of the village" }).waitFor();
    expect(await page.evaluate("document.activeElement.id")).toBe("main");
    expect(await page.evaluate("scrollY")).toBe(0);
    await page.goBack();
    await link.waitFor();
    expect(await page.evaluate("document.activeElement.id")).toBe("main");
  });

  test("a palette does not open over a question, and a key of an input method chooses nothing [CN-253]", async () => {
    const { page } = await app.open({ path: "/votes/roll" });
    await button(page, "Add a voter").click();
    await dialogOf(page).getByLabel("DID").waitFor();
    await page.keyboard.press("Control+k");
    expect(await page.getByRole("combobox").count()).toBe(0);
    await page.keyboard.press("Escape");
    await dialogOf(page).waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    const field = page.getByRole("combobox");
    await field.fill("audit");
    await page.getByRole("option", { name: "Audit trail of votes" }).waitFor();
    await field.dispatchEvent("keydown", { key: "Enter", keyCode: 229, bubbles: true });
    expect(await field.count()).toBe(1);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/votes\/audit$/);
  });

  test("on a Mac, Control+K is left to the text field and Command+K opens the palette [CN-253]", async () => {
    const agent = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)";
    const { page } = await app.open({
      path: "/registry",
      prepare: (fresh) =>
        fresh.addInitScript(`Object.defineProperty(navigator, "userAgent", { value: ${JSON.stringify(agent)} })`),
    });
    await page.getByRole("img", { name: /^Live/ }).waitFor();
    await page.keyboard.press("Control+k");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.keyboard.press("Meta+k");
    await page.getByRole("dialog").getByRole("combobox").waitFor();
  });

  test.each([
    ["the palette", "/registry", (page: Page) => page.keyboard.press("Control+k")],
    ["a new proposal", "/votes/new", () => Promise.resolve()],
  ] as const)("%s searches once for what is typed without a pause [CN-254]", async (_, path, prepare) => {
    const { page } = await app.open({ path });
    await page.getByRole("img", { name: /^Live/ }).waitFor();
    await prepare(page);
    await page.locator("dialog [role=combobox], .vote-domain input").waitFor();
    const asked: string[] = [];
    page.on("request", (request) => {
      const q = new URL(request.url()).searchParams.get("q");
      if (q !== null) asked.push(q);
    });
    // One task for all key presses, faster than on any slow machine.
    await page.evaluate(`(() => {
      const input = document.querySelector("dialog [role=combobox], .vote-domain input");
      const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
      for (const text of ["k", "ki", "kig", "kiga", "kigal", "kigali"]) {
        set.call(input, text);
        input.dispatchEvent(new Event("input", { bubbles: true }));
      }
    })()`);
    await expect.poll(() => asked).not.toEqual([]);
    await page.getByText("Kigali biogas plant").first().waitFor();
    expect(asked).toEqual(["kigali"]);
  });

  test("a voter is invited in one dialog, votes with the key of the message, and is shown by name with the whole DID to copy [CN-250, CN-251, CN-252]", async () => {
    const { page, context, faults } = await app.open({ path: "/votes/roll" });
    await page.getByText("3 voters").waitFor();
    await button(page, "Invite a voter").click();
    const dialog = dialogOf(page);
    await button(dialog, "Invite").click();
    await dialog.getByText("Enter a name.").waitFor();
    await dialog.getByLabel("Name").fill("Wanjiru of Nakuru");
    await dialog.getByLabel("Power").fill("40");
    await dialog.getByText("The total power of the roll goes from 3 to 43.").waitFor();
    await button(dialog, "Invite").click();
    await dialog.getByText("Wanjiru of Nakuru can vote").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Copy the message" }).click();
    await dialog.getByText("Copied").waitFor({ state: "attached" });
    const message = await readClipboard(context, app.server);
    await page.bringToFront();
    const key = /twe_\w+/.exec(message)?.[0] ?? "";
    const did = /did:key:z6Mk\w+/.exec(message)?.[0] ?? "";
    faults.watchSecret(key);
    expect(message).toContain(`Open ${app.server.url}/console/votes`);
    await dialog.getByLabel("I have sent or stored the message.").check();
    await button(dialog, "Done").click();
    const row = page.getByRole("listitem").filter({ hasText: "Wanjiru of Nakuru" });
    await row.getByText("93.02 %").waitFor();
    expect(await row.getByText("No key").count()).toBe(0);

    const domain = await newDomain("Naivasha school kitchen");
    const body = { title: "Verify the kitchen", package: {} };
    const { id: pid } = await callRegistry(app.server, "POST", `/v1/domains/${encoded(domain)}/proposals`, { body });
    const voter = await app.open({ path: "/votes", signedIn: false });
    let clicks = 0;
    const click = async (target: Locator): Promise<void> => {
      clicks += 1;
      await target.click();
    };
    await click(voter.page.getByRole("banner").getByRole("button", { name: "Sign in" }));
    await dialogOf(voter.page).getByLabel("Registry API key").fill(key);
    await click(dialogOf(voter.page).getByRole("button", { name: "Sign in", exact: true }));
    await voter.page.getByText("Developer").first().waitFor();
    await click(voter.page.getByRole("link", { name: "Verify the kitchen" }));
    await click(voter.page.getByRole("radio", { name: /^yes /i }));
    await click(button(voter.page, "Vote"));
    await click(button(dialogOf(voter.page), "Cast yes"));
    await voter.page.getByText("Passed: the domain was verified.").waitFor();
    expect(clicks).toBeLessThan(12);

    const cast = voter.page.getByRole("listitem").filter({ hasText: "Wanjiru of Nakuru" });
    await cast.getByText("Wanjiru of Nakuru").waitFor();
    // Selecting a part of it copies all of it.
    const shown = cast.locator("code");
    await shown.click();
    await voter.page.keyboard.press("Control+c");
    expect(await readClipboard(voter.context, app.server)).toBe(did);
    expect((await shown.boundingBox())?.width).toBeLessThan(300);
    expect(pid).toMatch(/^prp_/);
  });

  test("adding a DID that is already on the roll asks again, with its power before and after [CN-240]", async () => {
    const { page } = await app.open({ path: "/votes/roll", allow: [/^answer: 428 PUT/] });
    const [{ did } = { did: "" }] = sample.voters;
    await button(page, "Add a voter").click();
    const dialog = dialogOf(page);
    await dialog.getByLabel("DID").fill(did);
    await dialog.getByLabel("Power").fill("9");
    await button(dialog, "Save").click();
    await button(dialog, "Add a voter").click();
    await dialog.getByText("This DID is already on the roll, as Amina with power 1.").waitFor();
    await dialog.getByText("The power of Amina goes from 1 to 9.").waitFor();
    await button(dialog, "Cancel").click();
    expect(await dialog.getByLabel("Power").inputValue()).toBe("9");
    const { weight } = await callRegistry<{ readonly weight: number }>(
      app.server,
      "GET",
      `/v1/voters/${encoded(did)}`,
      {
        key: developmentKeys().apiKey,
      },
    );
    expect(weight).toBe(1);
  });

  test("the open audit trail shows changes that arrived together with others [CN-98]", async () => {
    const domain = await newDomain("Isiolo water kiosk");
    const [joined, happened] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const { page } = await app.open({
      path: `/votes/audit?domain=${encoded(domain)}`,
      prepare: (fresh) =>
        fresh.route("**/v1/changes?after=*", async (route) => {
          joined.resolve(undefined);
          await happened.promise;
          await route.continue();
        }),
    });
    await page.getByText(/^No (?:proposals yet|loaded entry)/).waitFor();
    await joined.promise;
    const body = { title: "Verify the kiosk", package: {} };
    await callRegistry(app.server, "POST", `/v1/domains/${encoded(domain)}/proposals`, { body });
    await newDomain("Isiolo school kitchen");
    happened.resolve(undefined);
    const opened = page.getByRole("listitem").filter({ hasText: "opened the proposal" });
    await expect.poll(() => opened.count()).toBe(1);
  });

  test("without a network, a list reports it, and loads automatically once there is one [CN-242]", async () => {
    const { page, context } = await app.open({
      path: "/",
      allow: [/ERR_INTERNET_DISCONNECTED/],
    });
    await page.getByRole("img", { name: /^Live/ }).waitFor();
    const link = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Votes" });
    await link.hover();
    await link.click();
    await page.getByRole("heading", { level: 1, name: "Proposals" }).or(page.locator("main h1")).first().waitFor();
    await context.setOffline(true);
    await page.getByRole("link", { name: "Verify the Kigali plant" }).click();
    await page.getByRole("main").getByText("The server did not answer.").first().waitFor();
    expect(await page.locator("main .skeleton").count()).toBe(0);
    await context.setOffline(false);
    await page.getByRole("heading", { level: 1, name: "Verify the Kigali plant" }).waitFor();
    await page
      .getByText("1 of 3 power has been cast.")
      .or(page.getByText(/power is cast/))
      .first()
      .waitFor();
  });
});
