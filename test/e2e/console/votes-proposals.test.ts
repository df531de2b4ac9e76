/** Proposals, the voter roll and the audit trail in a real browser against the real Worker. */
import { beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "../../support/browser/browser.ts";
import { developmentKeys } from "../../support/console/development-keys.ts";
import { DEVELOPER, registrySample, type RegistrySample } from "../../support/console/registry-sample.ts";
import { button, dialogOf, encoded, startVotesForTests } from "../../support/console/votes-for-tests.ts";

describe.runIf(hasBrowser)("proposals and the roll, with three voters", () => {
  const { app, newDomain, propose, castElsewhere, change } = startVotesForTests();
  let sample: RegistrySample;
  let amina: string;
  let brian: string;
  beforeAll(async () => {
    sample = await registrySample(app.server);
    [amina = "", brian = ""] = sample.voters.map(({ apiKey }) => apiKey);
  });

  test("a verification is revoked, by a form that says what is wrong and what has changed [CN-95, CN-100]", async () => {
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
    // A relayer node is material: without its verification nothing is left to revoke, which the form says at once.
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

  test("a proposal about a domain that somebody has changed lists the differences and keeps what was written; an edit that ends a vote asks [CN-95] [CN-225]", async () => {
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

  test("the list puts what waits for the caller first, and its filters live in the address [CN-90]", async () => {
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

  test("voters are added, changed and removed, and the dialog says what becomes of the power [CN-97, CN-235, CN-240]", async () => {
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

  test("the audit trail says who did what, is filtered in its address, and is taken away as a file that says what it holds [CN-98, CN-239, CN-250]", async () => {
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
    expect(entries[0]?.note).toBe(`4 entries of all 1 proposal. Filters: domain ${sample.rejected}. Times are in UTC.`);
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
