/** People sign in with passkeys in a real browser, with Chromium's virtual authenticator. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "../../support/browser/browser.ts";
import { startConsoleForTests } from "../../support/console/console-for-tests.ts";
import { developmentKeys } from "../../support/console/development-keys.ts";

/** A security key with its user, who always agrees. */
async function plugIn(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

describe.runIf(hasBrowser)("staff", () => {
  const app = startConsoleForTests();
  const journey = app.journey({ path: "/staff", signedIn: false, allow: [/^answer: 401 /, /^answer: 410 /] });
  let link = "";

  beforeAll(async () => {
    const response = await fetch(`${app.server.url}/staff/members`, {
      method: "POST",
      headers: { Authorization: `Bearer ${developmentKeys().operatorToken}`, "Content-Type": "application/json" },
      body: JSON.stringify({ name: "Ada", role: "administrator" }),
    });
    const invited = (await response.json()) as { link: string };
    link = invited.link;
    await plugIn(journey.page);
  });

  test("an invitation creates a passkey and signs its person in; the token leaves the address [CN-302]", async () => {
    const { page } = journey;
    await page.goto(link);
    await page.getByText("Ada, you are invited").waitFor();
    await expect.poll(() => page.url()).toMatch(/\/console\/invitation$/);
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.getByText("You are Ada, administrator.").waitFor();
    expect(new URL(page.url()).pathname).toBe("/console/staff");
    const cookies = await page.context().cookies();
    expect(cookies).toMatchObject([{ name: "twinedge-staff", httpOnly: true, sameSite: "Strict" }]);
  });

  test("a used invitation says to ask for a new one [CN-302]", async () => {
    const { page } = await app.open({ path: "/", signedIn: false, allow: [/^answer: 410 /] });
    await page.goto(link);
    await page.getByText("The invitation is used, replaced or expired; ask for a new one").waitFor();
  });

  test("people sign out, and in again with their passkey, and see their sessions [CN-303]", async () => {
    const { page } = journey;
    await page.getByRole("button", { name: "Sign out here" }).click();
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    const sessions = page.getByRole("list", { name: "Your sessions" });
    await sessions.getByText("this browser").waitFor();
    expect(await sessions.getByRole("listitem").count()).toBe(1);
    await page.reload();
    await sessions.getByText("this browser").waitFor();
  });

  test("an administrator invites people, changes their role and disables them; the audit log has it [CN-304]", async () => {
    const { page } = journey;
    await page.getByRole("link", { name: "People" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Ben");
    await page.getByLabel("Role", { exact: true }).selectOption("viewer");
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    await page.getByText("Send this link to Ben").waitFor();
    await page.getByLabel("Role of Ben").selectOption("support");
    await page.getByRole("dialog").getByRole("button", { name: "Change the role" }).click();
    const row = page.getByRole("list", { name: "People" }).getByRole("listitem").filter({ hasText: "Ben" });
    await row.getByText("support", { exact: true }).first().waitFor();
    await row.getByRole("button", { name: "Disable" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
    await row.getByText("disabled").waitFor();
    await page.getByRole("link", { name: "Audit log" }).click();
    await page.getByRole("cell", { name: "updateStaff" }).first().waitFor();
    await page
      .getByText('{"before":{"role":"viewer","disabled":false},"after":{"role":"support","disabled":false}}')
      .waitFor();
  });

  test("a part that the role cannot open says why [CN-304]", async () => {
    const { page } = journey;
    await page.getByRole("link", { name: "People" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Cleo");
    await page.getByLabel("Role", { exact: true }).selectOption("viewer");
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    const address = await page.locator(".notice code").textContent();
    const other = await app.open({ path: "/staff", signedIn: false, allow: [/^answer: 401 /] });
    await plugIn(other.page);
    await other.page.goto(address ?? "");
    await other.page.getByRole("button", { name: "Create a passkey" }).click();
    await other.page.getByText("You are Cleo, viewer.").waitFor();
    await other.page.getByRole("link", { name: "Audit log" }).click();
    await other.page.getByText("Your role, viewer, cannot open “Audit log”.").waitFor();
  });
});
