/** Votes in a real browser against the real Worker: the journey to a verified domain, votes of others, races. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "../../support/browser/browser.ts";
import { axeViolations } from "../../support/console/axe.ts";
import type { ConsolePage } from "../../support/console/console-page.ts";
import { developmentKeys } from "../../support/console/development-keys.ts";
import { fastestOf, SHOWN_WITHIN } from "../../support/console/fastest-of.ts";
import { tabTo } from "../../support/console/keyboard.ts";
import { intercept } from "../../support/console/network.ts";
import { callRegistry, DEVELOPER, registrySample } from "../../support/console/registry-sample.ts";
import { button, dialogOf, encoded, startVotesForTests } from "../../support/console/votes-for-tests.ts";

async function pressOn(page: Page, target: Locator, key = "Enter"): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

describe.runIf(hasBrowser)("votes", () => {
  const { app, newDomain, propose, castElsewhere, votesOf, change, choose } = startVotesForTests();

  test("by keyboard alone at 1280: from an empty registry to a verified domain [CN-96, CN-100, CN-207]", async () => {
    const { page } = await app.open({ path: "/registry/new" });
    await tabTo(page, page.getByLabel("Name", { exact: true }));
    await page.keyboard.type("Mombasa mangroves");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Mombasa mangroves" }).waitFor();
    await pressOn(page, page.getByRole("link", { name: "Propose verification" }));

    await page.getByText("The voter roll is empty, so no vote can be opened.").waitFor();
    await pressOn(page, button(page, "Add yourself to the voter roll"));
    await dialogOf(page).getByText(`${DEVELOPER} gets a vote with power 1`).waitFor();
    await pressOn(page, button(dialogOf(page), "Add yourself to the voter roll"));
    await page.getByText("You are on the voter roll.").waitFor();
    await page.getByText("The voter roll is empty").waitFor({ state: "detached" });

    const title = page.getByLabel("Title");
    await expect.poll(() => title.inputValue()).toBe("Verify Mombasa mangroves");
    await tabTo(page, title);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Verify Mombasa mangroves" }).waitFor();
    await page.getByText("0 of 1 power has been cast.").waitFor();
    await page.getByText("Unchanged since the proposal").waitFor();
    await pressOn(page, page.getByRole("radio", { name: /^yes /i }), "Space");
    await tabTo(page, page.getByLabel("Rationale optional"));
    await page.keyboard.type("Seen on site");
    await page.getByText("988 characters left").waitFor();
    await pressOn(page, button(page, "Vote"));
    await dialogOf(page)
      .getByText("You cast 1 of 1 power for yes. Your vote makes the proposal pass at once. Votes cannot be changed.")
      .waitFor();
    await pressOn(page, button(dialogOf(page), "Cast yes"));
    await page.getByText("Passed: the domain was verified.").waitFor();
    await page.getByText("1 of 1 power has been cast.").waitFor();
    await page.getByText(/^You voted yes, (?:just now|\d+ (?:sec|min)\. ago)/).waitFor();
    await pressOn(page, page.getByRole("link", { name: "Open the domain" }));
    await page.getByRole("heading", { level: 1, name: "Mombasa mangroves", exact: true }).waitFor();
    expect(await page.getByText("Your vote counts: yes.").count()).toBe(0);
    await page.getByText("Verified", { exact: true }).first().waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });

  describe("with three voters", () => {
    let amina: string;
    let brian: string;
    beforeAll(async () => {
      const { voters } = await registrySample(app.server);
      [amina = "", brian = ""] = voters.map(({ apiKey }) => apiKey);
    });

    test("by touch at 320: propose, vote, another user's vote appears, verified [CN-94, CN-100]", async () => {
      const domain = await newDomain("Kisumu solar pumps");
      const { page } = await app.open({ path: `/votes/new?domain=${encoded(domain)}`, width: 320, touch: true });
      await button(page, "Open the vote").tap();
      await page.getByText("0 of 3 power has been cast.").waitFor();
      await page.getByText("Needs 2 more power to reach the quorum of 2.").waitFor();
      await page.getByRole("radio", { name: /^yes /i }).tap();
      await button(page, "Vote").tap();
      await dialogOf(page).getByText("You cast 1 of 3 power for yes. Votes cannot be changed.").waitFor();
      await button(dialogOf(page), "Cast yes").tap();
      await page.getByText("1 of 3 power has been cast.").waitFor();
      await page.getByText(/^You voted yes, (?:just now|\d+ (?:sec|min)\. ago)/).waitFor();

      const pid = page.url().split("/").at(-1) ?? "";
      await castElsewhere(pid, "yes", amina);
      await page.getByText("Passed: the domain was verified.").waitFor();
      await page.getByText("2 of 3 power has been cast.").waitFor();
      await page.getByRole("listitem").filter({ hasText: "did:web:amina.example" }).waitFor();
      expect((await votesOf(pid)).map(({ option, power }) => `${option} ${power}`)).toEqual(["yes 1", "yes 1"]);
    });

    test("a vote cast elsewhere appears within 2 s; an unchanged tally needs no answer [CN-91]", async () => {
      const followed: { readonly page: Page; readonly answers: () => readonly number[] }[] = [];
      const fastest = await fastestOf(async (number) => {
        const domain = await newDomain(`Thika compost ${number}`);
        const pid = await propose(domain, { title: "Verify the compost", package: {} });
        const statuses: number[] = [];
        const { page } = await app.open({
          path: `/votes/${pid}`,
          prepare: async (fresh) =>
            void fresh.on("response", (answer) => {
              if (answer.url().endsWith(`/v1/proposals/${pid}`)) statuses.push(answer.status());
            }),
        });
        await page.getByText("0 of 3 power has been cast.").waitFor();
        await expect.poll(() => statuses.filter((status) => status === 304).length).toBeGreaterThanOrEqual(2);
        const before = statuses.indexOf(304);
        followed.push({ page, answers: () => statuses.slice(before).filter((status) => status === 200) });
        return {
          act: () => castElsewhere(pid, "no_with_veto", brian),
          shown: () => page.getByText("1 of 3 power has been cast.").waitFor(),
        };
      });
      expect(fastest).toBeLessThanOrEqual(SHOWN_WITHIN);
      for (const { page, answers } of followed) {
        await page.getByRole("img", { name: /no with veto 1 \(33\.33 %\), not cast 2/ }).waitFor();
        await page.getByRole("listitem").filter({ hasText: "did:web:brian.example" }).waitFor();
        await page.getByText("1 needed to veto").waitFor();
        expect(answers()).toHaveLength(1);
      }
    });

    test("a double click, and two tabs at once, are one vote [CN-94]", async () => {
      const pid = await propose(await newDomain("Nyeri tree nursery"), { title: "Verify the nursery", package: {} });
      const tabs = await Promise.all(
        [1, 2].map(() => app.open({ path: `/votes/${pid}`, allow: [/^answer: 409 POST/, /409 \(Conflict\)/] })),
      );
      const [one, other] = tabs as [ConsolePage, ConsolePage];
      const casts = [await choose(one, "yes"), await choose(other, "abstain")];
      // Both votes are sent before one counts: a tab that is notified of the other's vote no longer has a button.
      const sent = tabs.map(() => Promise.withResolvers<undefined>());
      const bothSent = Promise.all(sent.map(({ promise }) => promise));
      const hold = ({ page }: ConsolePage, at: number): Promise<void> =>
        intercept(page, `**/v1/proposals/${pid}/votes`, async (route) => {
          if (route.request().method() === "POST") {
            sent[at]?.resolve(undefined);
            await bothSent;
          }
          await route.continue();
        });
      await Promise.all(tabs.map(hold));
      await Promise.all(casts.map((cast) => cast.dblclick()));
      await Promise.all(tabs.map(({ page }) => page.getByText(/^You voted (yes|abstain), /).waitFor()));
      const votes = await votesOf(pid);
      expect(votes.map(({ voter }) => voter)).toEqual([DEVELOPER]);
      for (const { page } of tabs) {
        await page.getByText(`You voted ${votes[0]?.option ?? ""}, `).waitFor();
        // It closes after its own answer, which may arrive after the page's.
        await dialogOf(page).waitFor({ state: "detached" });
      }
    });

    test("the package is shown in rows, with digests and versions under Details [CN-263]", async () => {
      const domain = await newDomain("Busia weavers", {
        metadata: { name: "Busia weavers", looms: 40, tags: ["cloth"] },
      });
      const pid = await propose(domain, { title: "Verify the weavers", package: {} });
      const { page } = await app.open({ path: `/votes/${pid}` });
      const voted = page.getByRole("region", { name: "What is voted on" });
      await voted.getByText("Unchanged since the proposal").waitFor();
      const rows = await voted.locator("dt:visible").allInnerTexts();
      expect(rows).toEqual(["looms", "tags", "Type", "Class", "Controllers", "Status today"]);
      await voted.getByText("Details", { exact: true }).click();
      await voted.getByText("Content hash").waitFor();
      await voted.getByText(/^The proposal is about version 1; the domain is at version 2 today\. Votes/).waitFor();
      expect(await voted.getByText("nothing", { exact: true }).count()).toBe(0);
    });

    test("users who cannot vote read why, and a proposal that ends while its form is open shows why [CN-99, CN-228]", async () => {
      const domain = await newDomain("Voi beekeepers");
      const pid = await propose(domain, { title: "Verify the beekeepers", package: {} });
      const outsider = await callRegistry<{ readonly key: string }>(app.server, "POST", "/v1/api-keys", {
        body: { label: "Observer", did: "did:web:observer.example", scopes: ["domains:read", "verification:vote"] },
        key: developmentKeys().operatorToken,
      });
      const observing = await app.open({ path: `/votes/${pid}`, signedIn: { apiKey: outsider.key } });
      await observing.page.getByText("You cannot vote on this proposal: you were not on the voter roll").waitFor();
      expect(await observing.page.getByRole("radio").count()).toBe(0);
      await observing.goto("/registry/new");
      await observing.page.getByText("A new domain needs a key with the scope domains:write.").waitFor();

      const { page } = await app.open({ path: `/votes/${pid}` });
      await page.getByLabel("Rationale optional").fill("Half a thought");
      await change(domain, { metadata: { name: "Voi beekeepers", hives: 12 } });
      await page.getByText("Ended because the domain changed.").waitFor();
      await page.getByText("Its content changed while the vote was open").waitFor();
      expect(await page.getByRole("radio").count()).toBe(0);
      await page.getByText("Changed since the proposal: 1 field of the domain.").waitFor();
      const difference = page.getByRole("listitem").filter({ hasText: "Metadata › hives" });
      expect(await difference.innerText()).toContain("12");
    });
  });
});
