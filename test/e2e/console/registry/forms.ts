/** The forms that create and edit a domain, in a registry that is empty at first. */
import { expect, test } from "vitest";
import type { ConsoleForTests } from "../../../support/console/console-for-tests.ts";
import { tabTo } from "../../../support/console/keyboard.ts";
import { intercept } from "../../../support/console/network.ts";
import { callRegistry } from "../../../support/console/registry-sample.ts";
import { PROTOCOL, registryOf } from "./registry-of.ts";

export function testForms(app: ConsoleForTests): void {
  const { create, found, patch, pathOf } = registryOf(app);

  test("an empty registry offers to create the first domain, a list without a match offers to remove the filters [CN-62]", async () => {
    const { page, goto } = await app.open({ path: "/registry" });
    await page.getByText("No domain has been created yet").waitFor();
    await page.getByRole("link", { name: "Create a domain" }).click();
    await page.getByRole("heading", { name: "Create a domain", level: 1 }).waitFor();
    await goto("/registry?q=nothing&status=suspended");
    await page.getByText("No domain matches").waitFor();
    await page.locator(".empty").getByRole("button", { name: "Remove all filters" }).click();
    await page.getByText("No domain has been created yet").waitFor();
    expect(pathOf(page)).toBe("/registry");
  });

  test("a wrong and then corrected field, by keyboard alone, creates a domain [CN-67]", async () => {
    const { page } = await app.open({ path: "/registry/new" });
    const name = page.getByLabel("Name", { exact: true });
    await tabTo(page, name);
    await page.keyboard.type("Stove of Amina");
    const type = page.getByLabel("Class");
    await tabTo(page, type);
    await page.keyboard.press("Control+a");
    await page.keyboard.type("no did");
    await tabTo(page, page.getByRole("button", { name: "Create the domain" }));
    await page.keyboard.press("Enter");
    await page.getByText("Enter a DID, such as did:web:example.org.").waitFor();
    // The wrong field has the focus, and its error is associated with it.
    expect(await type.and(page.locator(":focus")).getAttribute("aria-invalid")).toBe("true");
    expect((await found("q=Amina")).page.total).toBe(0);
    await page.keyboard.press("Control+a");
    await page.keyboard.type(PROTOCOL);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Stove of Amina", level: 1 }).waitFor();
    expect((await found("q=Amina")).page.total).toBe(1);
  });

  test("pressed twice by touch at 320 pixels, the form creates one domain; errors are shown at their fields, including the server's [CN-67, CN-68, CN-199]", async () => {
    const allow = [/^answer: 400 POST/, /400/, /ERR_FAILED/];
    const { page } = await app.open({ path: "/registry/new", width: 320, touch: true, allow });
    await page.getByLabel("Name", { exact: true }).fill("Well of Brian");
    await page.getByText("Controllers, validity and ids").tap();
    await page.getByLabel("Valid from").fill("2027-02-01");
    await page.getByLabel("Valid until").fill("2027-01-01");
    await page.getByText("Services, resources, credentials, accounts").tap();
    for (const name of ["Add a service", "Add a service", "Remove Service 2"])
      await page.getByRole("button", { name }).tap();
    const service = page.getByRole("group", { name: "Service 1" });
    await service.getByLabel("Type").fill("LinkedDomains");
    await page.getByText("Services, resources, credentials, accounts (1)").tap();
    const submit = page.getByRole("button", { name: "Create the domain" });
    await submit.tap();
    const address = service.getByLabel("Address");
    await address.and(page.locator(":focus")).waitFor();
    await address.fill("https://wells.example/brian");
    expect(await service.getByText("This is required.").count()).toBe(0);
    await submit.tap();
    await page.getByText("validUntil must be later than validFrom").first().waitFor();
    await page.getByLabel("Valid until").fill("2028-01-01");
    // The registry creates it, and its answer is lost.
    await intercept(page, "**/v1/domains", (route) => route.fetch().then(() => route.abort()), { times: 1 });
    await submit.dblclick();
    await page.getByText("The response was lost, but the domain may have been created.").waitFor();
    await submit.dblclick();
    await page.getByRole("heading", { name: "Well of Brian", level: 1 }).waitFor();
    const service1 = { id: "#service-1", type: "LinkedDomains", serviceEndpoint: "https://wells.example/brian" };
    expect((await found("q=Brian")).data).toMatchObject([{ document: { service: [service1] } }]);
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(320);
  });

  test("fields and JSON are one body; input is kept, and leaving, closing and signing out ask first [CN-69, CN-70, CN-197]", async () => {
    const { page } = await app.open({ path: "/registry" });
    await page.getByRole("link", { name: "Create", exact: true }).click();
    const name = page.getByLabel("Name", { exact: true });
    await name.fill("Unsaved");
    await page.getByText("All of it as JSON").click();
    const json = page.getByLabel("Domain as JSON");
    expect(JSON.parse(await json.inputValue())).toMatchObject({ type: "Project", metadata: { name: "Unsaved" } });
    await json.fill('{"type":"Asset","class":"did:web:x","metadata":{"name":"From JSON","tags":[1]}}');
    expect(await name.inputValue()).toBe("From JSON");
    // Until the known types have loaded, it is shown as a name that the user entered.
    await expect.poll(() => page.getByLabel("Type", { exact: true }).inputValue()).toBe("Asset");
    await json.fill("{");
    await page.getByText("This is not a valid JSON object").waitFor();
    expect(await name.isDisabled()).toBe(true);
    await json.fill('{"type":"Asset","class":"did:web:x","metadata":{"name":"From JSON"}}');
    expect(await json.isVisible()).toBe(true);

    const asksBeforeClosing = () =>
      page.evaluate<boolean>("!dispatchEvent(new Event('beforeunload', { cancelable: true }))");
    expect(await asksBeforeClosing()).toBe(true);
    const dialog = page.getByRole("dialog");
    for (const name of ["Account", "Sign out"]) await page.getByRole("banner").getByRole("button", { name }).click();
    await dialog.getByText("The domain has not been created. Your entries will be lost.").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(await name.inputValue()).toBe("From JSON");
    await page.evaluate("history.back()");
    await dialog.getByRole("button", { name: "Stay here" }).click();
    expect([pathOf(page), await name.inputValue()]).toEqual(["/registry/new", "From JSON"]);
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Home" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Leave and discard" }).click();
    await page.getByRole("heading", { name: "Home", level: 1 }).or(page.locator("main h1")).first().waitFor();
    await expect.poll(() => pathOf(page)).toBe("/");
    await expect.poll(asksBeforeClosing).toBe(false);
  });

  test("an edit that another user was faster with shows their change and loses nothing, and the history has both [CN-65, CN-71]", async () => {
    const id = await create("Forest", { externalId: "7" });
    const { page } = await app.open({ path: `/registry/domains/${encodeURIComponent(id)}/edit`, allow: [/412/] });
    await page.getByLabel("Description").fill("Planted by Chanda");
    expect(await patch(id, 1, { metadata: { name: "Forest of Kafue" }, externalId: "8" })).toBe(200);
    await page.getByText("Someone else changed this domain in the meantime").waitFor();
    await page.getByText("Forest of Kafue").waitFor();
    expect(await page.getByLabel("Description").inputValue()).toBe("Planted by Chanda");
    await page.getByRole("button", { name: "Save the changes" }).click();
    await page.getByRole("button", { name: "Apply my changes to it" }).click();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Forest of Kafue");
    await page.getByRole("button", { name: "Save the changes" }).click();
    await page.getByRole("heading", { name: "Forest of Kafue", exact: true, level: 1 }).waitFor();
    expect(await callRegistry<object>(app.server, "GET", `/v1/domains/${id}`)).toMatchObject({
      version: 3,
      externalId: "8",
      metadata: { name: "Forest of Kafue", description: "Planted by Chanda" },
    });
    await page.getByRole("link", { name: "History" }).click();
    const changesOf = (version: number) =>
      page
        .locator(".history > li")
        .filter({ has: page.getByRole("link", { name: `Version ${version}`, exact: true }) })
        .locator(".change-list > li");
    const shown = (version: number, member: string) => () =>
      changesOf(version).filter({ hasText: member }).locator("del, ins").allInnerTexts();
    await expect.poll(shown(2, "Metadata › name")).toEqual(["Forest", "Forest of Kafue"]);
    await expect.poll(shown(3, "Metadata › description")).toEqual(["Planted by Chanda"]);
  });
}
