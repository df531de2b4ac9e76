/**
 * Votes in a real browser against the real Worker: the journey to a verified domain, other users' votes, races, the roll, the audit
 * trail.
 */
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "../../support/browser/browser.ts";
import { axeViolations } from "../../support/console/axe.ts";
import { startConsoleForTests } from "../../support/console/console-for-tests.ts";
import type { ConsolePage } from "../../support/console/console-page.ts";
import { developmentKeys } from "../../support/console/development-keys.ts";
import { fastestOf, SHOWN_WITHIN } from "../../support/console/fastest-of.ts";
import { tabTo } from "../../support/console/keyboard.ts";
import { intercept } from "../../support/console/network.ts";
import { callRegistry, DEVELOPER, registrySample, type RegistrySample } from "../../support/console/registry-sample.ts";

interface VoteList {
  readonly data: readonly { readonly voter: string; readonly option: string; readonly power: number }[];
}

async function pressOn(page: Page, target: Locator, key = "Enter"): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

const dialogOf = (page: Page) => page.getByRole("dialog");
const button = (where: Page | Locator, name: string) => where.getByRole("button", { name, exact: true });
const encoded = encodeURIComponent;

describe.runIf(hasBrowser)("votes", () => {
  const app = startConsoleForTests();
  const newDomain = async (name: string, more: object = {}): Promise<string> => {
    const body = { type: "Project", class: "did:ixo:protocol/clean-cooking", metadata: { name }, ...more };
    return (await callRegistry(app.server, "POST", "/v1/domains", { body })).id;
  };
  const propose = async (domain: string, body: object): Promise<string> =>
    (await callRegistry(app.server, "POST", `/v1/domains/${encoded(domain)}/proposals`, { body })).id;
  const castElsewhere = (pid: string, option: string, key: string) =>
    callRegistry(app.server, "POST", `/v1/proposals/${pid}/votes`, { body: { option }, key });
  const votesOf = async (pid: string) =>
    (await callRegistry<VoteList>(app.server, "GET", `/v1/proposals/${pid}/votes`)).data;
  const change = async (domain: string, body: object): Promise<void> => {
    const answer = await fetch(`${app.server.url}/v1/domains/${encoded(domain)}`, {
      method: "PATCH",
      headers: {
        Authorization: `Bearer ${developmentKeys().apiKey}`,
        "Content-Type": "application/json",
        "If-Match": "*",
      },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(200);
  };
  /** Opens the dialog of a vote. */
  const choose = async ({ page }: ConsolePage, option: string): Promise<Locator> => {
    await page.getByRole("radio", { name: new RegExp(`^${option} `, "i") }).check();
    await button(page, "Vote").click();
    return button(dialogOf(page), `Cast ${option}`);
  };

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
    let sample: RegistrySample;
    let amina: string;
    let brian: string;
    beforeAll(async () => {
      sample = await registrySample(app.server);
      [amina = "", brian = ""] = sample.voters.map(({ apiKey }) => apiKey);
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
      await voted.getByText(/^The proposal is about version 1; the domain is at version 2 today\. A vote/).waitFor();
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

    test("a verification is revoked by a form that shows errors and changes [CN-95, CN-100]", async () => {
      const { page } = await app.open({
        path: `/votes/new?domain=${encoded(sample.verified)}&kind=revoke`,
      });
      await expect
        .poll(() => page.getByLabel("Title").inputValue())
        .toBe("Revoke the verification of Nakuru clean stoves");
      await button(page, "Open the vote").click();
      const reason = page.getByRole("textbox", { name: "Reason" });
      await expect.poll(() => reason.getAttribute("aria-invalid")).toBe("true");
      await reason.fill("The reports stopped in September.");
      await change(sample.verified, { relayerNode: "did:web:relayer.example" });
      // A relayer node's type is material: without its verification, there is nothing to revoke, as the form says at once.
      await page.getByText("This domain is not verified, so there is nothing to revoke.").waitFor();

      const other = await newDomain("Embu dairy");
      const passed = await propose(other, { title: "Verify the dairy", package: {} });
      for (const key of [amina, brian]) await castElsewhere(passed, "yes", key);
      await page.getByLabel("Domain (DID)").fill(other);
      await page.keyboard.press("Enter");
      await expect.poll(() => page.getByLabel("Title").inputValue()).toBe("Revoke the verification of Embu dairy");
      expect(await reason.inputValue()).toBe("The reports stopped in September.");
      await button(page, "Open the vote").click();
      await page.getByText("Revoke the verification of Embu dairy?").waitFor();
      const pid = page.url().split("/").at(-1) ?? "";
      for (const key of [amina, brian]) await castElsewhere(pid, "yes", key);
      await page.getByText("Passed: the verification was revoked.").waitFor();
    });

    test("a proposal about a domain that another user has changed lists the differences and keeps the input; an edit that ends a vote asks [CN-95] [CN-225]", async () => {
      const domain = await newDomain("Meru cold store");
      const { page, goto } = await app.open({
        path: `/votes/new?domain=${encoded(domain)}`,
        allow: [/^answer: 422 POST/, /422 \(Unprocessable/],
      });
      await page.getByLabel("Summary optional").fill("Visited twice.");
      await change(domain, { class: "did:ixo:protocol/cold-chain" });
      await button(page, "Open the vote").click();
      await page.getByText("/package/class").waitFor();
      await button(page, "Load the domain again").click();
      await page.getByText("did:ixo:protocol/cold-chain").waitFor();
      expect(await page.getByLabel("Summary optional").inputValue()).toBe("Visited twice.");
      await button(page, "Open the vote").click();
      await page.getByText("Visited twice.").waitFor();
      await page.getByText("Unchanged since the proposal").waitFor();

      await button(page, "Withdraw the proposal").click();
      await dialogOf(page).getByText("The domain is awaiting verification again.").waitFor();
      await dialogOf(page).getByLabel("Reason optional").fill("Wrong season");
      await button(dialogOf(page), "Withdraw the proposal").click();
      await page.getByText("Reason: Wrong season").waitFor();

      // Saving an edit of a domain under vote asks first.
      const again = await propose(domain, { title: "Verify the store again", package: {} });
      await goto(`/registry/domains/${encoded(domain)}/edit`);
      await page.getByLabel("Description").fill("In Meru");
      await button(page, "Save the changes").click();
      await dialogOf(page).getByText("Saving ends it").waitFor();
      await button(dialogOf(page), "Cancel").click();
      expect(await page.getByLabel("Description").inputValue()).toBe("In Meru");
      await button(page, "Save the changes").click();
      await button(dialogOf(page), "Save the changes").click();
      await page.getByRole("heading", { name: "Meru cold store", level: 1, exact: true }).waitFor();
      await goto(`/votes/${again}`);
      await page.getByText("Ended because the domain changed.").waitFor();
    });

    test("the list starts with the caller's waiting items, and its filters are in the address [CN-90]", async () => {
      const waiting = await propose(await newDomain("Lamu dhows"), { title: "Verify the dhows", package: {} });
      const voted = await propose(await newDomain("Wajir wells"), { title: "Verify the wells", package: {} });
      await castElsewhere(voted, "abstain", developmentKeys().apiKey);
      const { page } = await app.open({ path: "/votes?domain=none" });
      await page.getByText("No proposal matches these filters").first().waitFor();
      await page.getByRole("link", { name: "Clear the filters" }).first().click();
      const open = page.getByRole("region", { name: "Open", exact: true });
      const row = (name: string) => open.getByRole("listitem").filter({ hasText: name });
      await row("Wajir wells")
        .getByText(/^You voted abstain, /)
        .waitFor();
      await row("Lamu dhows").getByText("Waiting for your vote").waitFor();
      const titles = async () => await open.getByRole("heading", { level: 3 }).allInnerTexts();
      await expect
        .poll(async () => (await titles()).indexOf("Verify the wells") > (await titles()).indexOf("Verify the dhows"))
        .toBe(true);
      expect(waiting).toMatch(/^prp_/);

      await page.getByLabel("State").selectOption("rejected");
      await page.getByRole("link", { name: "Verify the Lusaka roofs" }).waitFor();
      await open.waitFor({ state: "detached" });
      await page.getByLabel("Only where I am a voter").check();
      expect(new URL(page.url()).search).toBe("?state=rejected&mine=1");
      const again = await app.open({ path: "/votes?state=rejected&mine=1" });
      await again.page.getByRole("link", { name: "Verify the Lusaka roofs" }).waitFor();
      expect(await again.page.getByLabel("Only where I am a voter").isChecked()).toBe(true);
      expect(await again.page.getByRole("listitem").filter({ hasText: "Nakuru" }).count()).toBe(0);
      await page.goBack();
      await page.goBack();
      await open.waitFor();
    });

    test("voters are added, changed and removed, and the dialog shows the effect on voting power [CN-97, CN-235, CN-240]", async () => {
      const { page } = await app.open({ path: "/votes/roll" });
      await page.getByText("3 voters").waitFor();
      await button(page, "Add a voter").click();
      const dialog = dialogOf(page);
      await dialog.getByLabel("DID").fill("carol");
      await button(dialog, "Save").click();
      await dialog.getByText("This is not a DID").waitFor();
      await dialog.getByLabel("DID").fill("did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK");
      await dialog.getByLabel("Power").fill("1000001");
      await button(dialog, "Save").click();
      await dialog.getByText("This may be at most 1,000,000.").waitFor();
      await dialog.getByLabel("Power").fill("7");
      await dialog.getByLabel("Name optional").fill("Carol");
      await button(dialog, "Save").click();
      await dialog.getByText("Carol gets power 7.").waitFor();
      await dialog.getByText("The total power of the roll goes from 3 to 10.").waitFor();
      await button(dialog, "Add a voter").click();
      const carol = page.getByRole("listitem").filter({ hasText: "Carol" });
      await carol.getByText("70 %").waitFor();
      await carol.getByText("No API key with the scope verification:vote acts for this voter").waitFor();
      await button(page, "Change Carol").click();
      await dialog.getByLabel("Power").fill("2");
      await button(dialog, "Save").click();
      await dialog.getByText("The power of Carol goes from 7 to 2.").waitFor();
      await button(dialog, "Change the voter").click();
      await carol.getByText("40 %").waitFor();
      await button(page, "Remove Carol").click();
      await dialog.getByText("The total power of the roll goes from 5 to 3. Open votes keep their voters").waitFor();
      await button(dialog, "Remove the voter").click();
      await page.getByText("3 power in all").waitFor();
      await expect.poll(() => carol.count()).toBe(0);
    });

    test("the audit trail shows who did what, is filtered in its address, and downloads as a file that describes its content [CN-98, CN-239, CN-250]", async () => {
      const path = `/votes/audit?domain=${encoded(sample.rejected)}&actor=did%3Aweb%3Aamina.example`;
      const { page } = await app.open({ path });
      const entry = page.getByRole("listitem").filter({ hasText: "voted no" });
      await entry.getByText("did:web:amina.example").waitFor();
      await entry.getByRole("link", { name: "Verify the Lusaka roofs" }).waitFor();
      await page.getByLabel("Person (DID)").fill("");
      await button(page, "Apply").click();
      await page.getByText("the proposal was rejected").waitFor();
      expect(new URL(page.url()).searchParams.has("actor")).toBe(false);
      const [file] = await Promise.all([page.waitForEvent("download"), button(page, "Export all as JSON").click()]);
      const chunks: Buffer[] = [];
      for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer);
      const entries = JSON.parse(Buffer.concat(chunks).toString()) as readonly {
        event: string;
        actor: string;
        actorLabel: string | null;
        note: string;
      }[];
      expect(file.suggestedFilename()).toBe("audit-trail-all-1-proposals.json");
      expect(entries[0]?.note).toBe(
        `4 entries of all 1 proposal. Filters: domain ${sample.rejected}. Times are in UTC.`,
      );
      expect(entries.map(({ event, actor, actorLabel }) => `${event} ${actor} ${actorLabel}`)).toEqual([
        `exported ${DEVELOPER} Developer`,
        "rejected system null",
        "voted did:web:amina.example Amina",
        `voted ${DEVELOPER} Developer`,
        `opened ${DEVELOPER} Developer`,
      ]);
      await page.getByText("Not in this trail").click();
      await page.getByText("Changes of the voter roll").waitFor();
    });
  });
});
