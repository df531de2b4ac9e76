/** The first hour of a programme in the console: voters are invited and verify a domain. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "../../support/browser/browser.ts";
import { startConsoleForTests } from "../../support/console/console-for-tests.ts";
import { callRegistry, DEVELOPER } from "../../support/console/registry-sample.ts";

const dialogOf = (page: Page) => page.getByRole("dialog");
const button = (where: Page | Locator, name: string) => where.getByRole("button", { name, exact: true });
const encoded = encodeURIComponent;

/** Maximum clicks of one voter, including the invitation. */
const CLICKS = 12;

interface Invited {
  readonly name: string;
  readonly key: string;
  readonly clicks: number;
}

describe.runIf(hasBrowser)("the first hour", () => {
  const app = startConsoleForTests();
  let proposal = "";
  beforeAll(async () => {
    const body = { type: "Project", class: "did:ixo:protocol/clean-cooking", metadata: { name: "Naivasha kitchen" } };
    const domain = await callRegistry(app.server, "POST", "/v1/domains", { body });
    for (const [did, label, weight] of [
      [DEVELOPER, "Developer", 1],
      ["did:key:z6MkqjV9XjnK1pgRYL1npnHAjnDQT5hRiU9mbbHyEoJJDQm8", "Amina", 1],
    ] as const)
      await callRegistry(app.server, "PUT", `/v1/voters/${encoded(did)}`, { body: { weight, label } });
    const opened = await callRegistry(app.server, "POST", `/v1/domains/${encoded(domain.id)}/proposals`, {
      body: { title: "Verify the kitchen first", package: {} },
    });
    proposal = opened.id;
  });

  test("the page of an open vote says why it is open and names electors without a key [CN-234]", async () => {
    const { page } = await app.open({ path: `/votes/${proposal}` });
    await page.getByText("It stays open because the quorum is not met: 1 more power must be cast.").waitFor();
    const notice = page.locator(".notice").filter({ hasText: "1 elector with 1 power cannot vote" });
    await notice.getByText("Amina").waitFor();
    expect(await notice.getByRole("listitem").count()).toBe(1);
  });

  test("two voters are invited and verify a domain in fewer than 12 clicks each [CN-297]", async () => {
    const admin = await app.open({ path: "/votes/roll" });
    const invite = async (name: string): Promise<Invited> => {
      const { page } = admin;
      const dialog = dialogOf(page);
      let clicks = 0;
      const click = async (target: Locator): Promise<void> => {
        clicks += 1;
        await target.click();
      };
      await click(button(page, "Invite a voter"));
      await dialog.getByLabel("Name").fill(name);
      await dialog.getByLabel("Power").fill("40");
      await click(button(dialog, "Invite"));
      const message = (await dialog.getByText("/console/votes").textContent()) ?? "";
      const key = /twe_\w+/.exec(message)?.[0] ?? "";
      admin.faults.watchSecret(key);
      await click(button(dialog, "Copy the message"));
      await click(dialog.getByLabel("I have sent or stored the message."));
      await click(button(dialog, "Done"));
      return { name, key, clicks };
    };
    const voters = [await invite("Wanjiru"), await invite("Otieno")];
    const body = { type: "Project", class: "did:ixo:protocol/clean-cooking", metadata: { name: "Nakuru kitchen" } };
    const domain = await callRegistry(app.server, "POST", "/v1/domains", { body });
    await callRegistry(app.server, "POST", `/v1/domains/${encoded(domain.id)}/proposals`, {
      body: { title: "Verify the kitchen", package: {} },
    });
    for (const [at, voter] of voters.entries()) {
      const { page, faults } = await app.open({ path: "/votes", signedIn: false });
      faults.watchSecret(voter.key);
      let { clicks } = voter;
      const click = async (target: Locator): Promise<void> => {
        clicks += 1;
        await target.click();
      };
      await click(page.getByRole("banner").getByRole("button", { name: "Sign in" }));
      await dialogOf(page).getByLabel("Registry API key").fill(voter.key);
      await click(button(dialogOf(page), "Sign in"));
      await click(page.getByRole("link", { name: "Verify the kitchen", exact: true }));
      await click(page.getByRole("radio", { name: /^yes /i }));
      await click(button(page, "Vote"));
      await click(button(dialogOf(page), "Cast yes"));
      await page.getByText("You voted yes").first().waitFor();
      if (at === 1) await page.getByText("Passed: the domain was verified.").waitFor();
      expect(clicks, `clicks of ${voter.name}`).toBeLessThan(CLICKS);
    }
  });

  test("the brand links to the home screen [CN-298]", async () => {
    const { page } = await app.open({ path: "/registry" });
    await page.getByRole("banner").getByRole("link", { name: "twinedge" }).click();
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/console\/?$/);
  });
});
