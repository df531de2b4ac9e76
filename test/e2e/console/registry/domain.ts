/** The page of a domain, for those of registry-sample.ts. */
import { expect, test } from "vitest";
import type { ConsoleForTests } from "../../../support/console/console-for-tests.ts";
import { callRegistry, registrySample } from "../../../support/console/registry-sample.ts";
import { registryOf } from "./registry-of.ts";

export function testDomain(app: ConsoleForTests): void {
  const { found, patch } = registryOf(app);

  test("each part of a domain has an address, and its content is correct [CN-64]", async () => {
    const sample = await registrySample(app.server);
    const { page, goto } = await app.open({ path: `/registry/domains/${encodeURIComponent(sample.proposed)}` });
    await page.getByText("A vote is open.").waitFor();
    expect(await page.getByRole("link", { name: "See the vote" }).getAttribute("href")).toBe(
      `/console/votes/${sample.openProposal}`,
    );
    for (const [tab, says] of [
      ["Class", "not in this registry: the chain ends here"],
      ["Document", "The document itself has no entries"],
      ["History", "Verification vote opened"],
      ["Services", "It cannot be switched on now:"],
      ["DID resolution", "The result that a DID resolver gets"],
      ["JSON", "verificationStatus"],
    ] as const) {
      await page.getByRole("navigation", { name: "Parts of the domain" }).getByRole("link", { name: tab }).click();
      await page.getByText(says).first().waitFor();
    }
    await page.goBack();
    await page.getByText("The result that a DID resolver gets").waitFor();
    await goto(`/registry/domains/${sample.rejected}?tab=history&version=1`);
    await page.getByText("The domain at that version").waitFor();
  });

  test("switching a service and changing the status are confirmed by their effect, even with concurrent changes; messages end with the screen [CN-66, CN-207]", async () => {
    const verified = (await found("verificationStatus=Verified")).data[0]?.id ?? "";
    const { page } = await app.open({ path: `/registry/domains/${verified}?tab=services`, allow: [/412/, /410/] });
    await page.getByRole("button", { name: "Switch on" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Reporting will be on for").waitFor();
    await dialog.getByRole("button", { name: "Switch on" }).click();
    await page.getByText("Reporting is on.").waitFor();

    await page.getByRole("button", { name: "Suspend or deactivate" }).click();
    await page.getByRole("button", { name: "Suspend", exact: true }).click();
    await dialog.getByText("Both services are switched off").waitFor();
    const { version } = await callRegistry<{ version: number }>(app.server, "GET", `/v1/domains/${verified}`);
    expect(await patch(verified, version, { metadata: { note: "checked on site" } })).toBe(200);
    await dialog.getByRole("button", { name: "Suspend" }).click();
    await dialog.getByText("checked on site").waitFor();
    await dialog.getByRole("button", { name: "Suspend" }).click();
    await page.getByText("The domain is suspended.").waitFor();
    expect(await callRegistry<object>(app.server, "GET", `/v1/domains/${verified}`)).toMatchObject({
      status: "suspended",
      services: { reporting: { enabled: false } },
    });

    await page.getByRole("button", { name: "Reactivate or deactivate" }).click();
    await page.getByRole("button", { name: "Deactivate permanently", exact: true }).click();
    await dialog.getByText("This cannot be undone.").waitFor();
    await dialog.getByRole("button", { name: "Deactivate permanently" }).click();
    await page.getByText("The domain is deactivated.").waitFor();
    // Follows a link as a screen reader does, without a pointer or a key.
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Home" }).dispatchEvent("click");
    await page.locator("main .data-age").first().waitFor();
    expect(await page.getByText("The domain is deactivated.").count()).toBe(0);
    await page.goBack();
    await page.getByRole("link", { name: "DID resolution" }).click();
    await page.getByText("This DID is deactivated (410)").waitFor();
    expect(await page.getByRole("link", { name: "Edit" }).count()).toBe(0);
  });
}
