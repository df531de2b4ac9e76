/** People sign in with passkeys in a real browser, with Chromium's virtual authenticator. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { hasBrowser } from "../../support/browser/browser.ts";
import { startConsoleForTests } from "../../support/console/console-for-tests.ts";
import { developmentKeys } from "../../support/console/development-keys.ts";

/**
 * Plugs in a security key with its user, who always agrees, and returns a function that reads its passkeys. The end of
 * another DevTools session unplugs it, as after each step of a journey, so a step plugs it in with the passkeys of the
 * step before.
 */
async function plugIn(page: Page, passkeys: readonly Passkey[] = []): Promise<() => Promise<readonly Passkey[]>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  for (const credential of passkeys) await devtools.send("WebAuthn.addCredential", { authenticatorId, credential });
  return async () => (await devtools.send("WebAuthn.getCredentials", { authenticatorId })).credentials;
}

/** A passkey as DevTools print it. */
interface Passkey {
  readonly credentialId: string;
  readonly isResidentCredential: boolean;
  readonly rpId?: string;
  readonly privateKey: string;
  readonly userHandle?: string;
  readonly signCount: number;
}

describe.runIf(hasBrowser)("staff", () => {
  const app = startConsoleForTests();
  const journey = app.journey({ path: "/staff", signedIn: false, allow: [/^answer: 401 /, /^answer: 410 /] });
  let link = "";
  let passkeys: readonly Passkey[] = [];

  beforeAll(async () => {
    const response = await fetch(`${app.server.url}/staff/members`, {
      method: "POST",
      headers: { Authorization: `Bearer ${developmentKeys().operatorToken}`, "Content-Type": "application/json" },
      body: JSON.stringify({ name: "Ada", role: "administrator" }),
    });
    const invited = await response.json<{ link: string }>();
    link = invited.link;
  });

  test("an invitation creates a passkey and signs its person in, and the page removes the token from the address [CN-305]", async () => {
    const { page } = journey;
    const readPasskeys = await plugIn(page);
    await page.goto(link);
    await page.getByText("Ada, you are invited").waitFor();
    await expect.poll(() => page.url()).toMatch(/\/console\/invitation$/);
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.getByText("You are Ada, administrator.").waitFor();
    expect(new URL(page.url()).pathname).toBe("/console/staff");
    const cookies = await page.context().cookies();
    expect(cookies).toMatchObject([{ name: "twinedge-staff", httpOnly: true, sameSite: "Strict" }]);
    passkeys = await readPasskeys();
  });

  test("the page of a used invitation advises the person to ask for a new one [CN-305]", async () => {
    const { page } = await app.open({ path: "/", signedIn: false, allow: [/^answer: 410 /] });
    await page.goto(link);
    const advice = page.getByText("The invitation is used, replaced or expired; ask for a new one");
    await advice.waitFor();
    expect(await page.getByRole("button", { name: "Create a passkey" }).count()).toBe(0);
  });

  test("people sign out, and in again with their passkey, and see their sessions [CN-303]", async () => {
    const { page } = journey;
    const readPasskeys = await plugIn(page, passkeys);
    await page.getByRole("button", { name: "Sign out here" }).click();
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    const sessions = page.getByRole("list", { name: "Your sessions" });
    await sessions.getByText("this browser").waitFor();
    expect(await sessions.getByRole("listitem").count()).toBe(1);
    await page.reload();
    await sessions.getByText("this browser").waitFor();
    passkeys = await readPasskeys();
  });

  test("signing out everywhere ends the session of every browser [CN-303]", async () => {
    const { page } = journey;
    const other = await app.open({ path: "/staff", signedIn: false, allow: [/^answer: 401 /] });
    await other.context.addCookies(await page.context().cookies());
    await other.page.reload();
    await other.page.getByText("You are Ada, administrator.").waitFor();
    await plugIn(page, passkeys);
    await page.getByRole("button", { name: "Sign out everywhere" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click();
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByText("You are Ada, administrator.").waitFor();
    await other.page.reload();
    await other.page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
    expect(await other.page.getByText("You are Ada").count()).toBe(0);
  });

  test("an administrator invites people, changes their role and disables them; the audit log has it [CN-304]", async () => {
    const { page } = journey;
    await inviteWith(page, "Ben");
    await page.getByLabel("Role of Ben").selectOption("support");
    await page.getByRole("dialog").getByRole("button", { name: "Change the role" }).click();
    const row = page.getByRole("list", { name: "People" }).getByRole("listitem").filter({ hasText: "Ben" });
    await row.getByText("support: Helps phone customers").waitFor();
    await row.getByRole("button", { name: "Disable" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
    await row.getByText("disabled").waitFor();
    await page.getByRole("link", { name: "Audit log" }).click();
    const acts = page.getByRole("list", { name: "Acts, newest first" }).getByRole("listitem");
    const changes = acts.filter({ hasText: "updateStaff" });
    await changes.nth(1).waitFor();
    expect(await changes.nth(0).innerText()).toMatch(/by\s+Ada[\s\S]*on\s+Ben[\s\S]*disabled false true/);
    expect(await changes.nth(1).innerText()).toMatch(/by\s+Ada[\s\S]*on\s+Ben[\s\S]*role viewer support/);
  });

  test("the audit log can be searched by the operation of an act [CN-304]", async () => {
    const { page } = journey;
    await page.getByLabel("Search by").selectOption("Operation");
    await page.getByLabel("Exact value").fill("inviteStaff");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    const acts = page.getByRole("list", { name: "Acts, newest first" }).getByRole("listitem");
    await expect
      .poll(async () => new Set(await acts.locator("strong").allInnerTexts()))
      .toEqual(new Set(["inviteStaff"]));
    expect(new URL(page.url()).search).toBe("?by=operation&q=inviteStaff");
  });

  test("a part that the role cannot open shows the reason, and everyone can see the table of roles [CN-304]", async () => {
    const { page } = journey;
    const address = await inviteWith(page, "Cleo");
    const other = await app.open({ path: "/staff", signedIn: false, allow: [/^answer: 401 /] });
    await plugIn(other.page);
    await other.page.goto(address);
    await other.page.getByRole("button", { name: "Create a passkey" }).click();
    await other.page.getByText("You are Cleo, viewer.").waitFor();
    await other.page.getByRole("link", { name: "Audit log" }).click();
    const reason = "Your role, viewer, cannot open “Audit log”. Roles that can: compliance, administrator.";
    await other.page.getByText(reason).waitFor();
    await other.page.getByRole("link", { name: "Roles" }).click();
    const row = other.page.getByRole("row").filter({ has: other.page.getByRole("rowheader", { name: "putVoter" }) });
    await row.waitFor();
    expect(await row.getByRole("cell").allInnerTexts()).toEqual(["", "", "", "", "", "yes"]);
  });

  test("a development machine signs in with one click, without a passkey [CN-303]", async () => {
    const { page } = await app.open({ path: "/staff", signedIn: false, allow: [/^answer: 401 /] });
    await page.getByRole("button", { name: "Sign in as the developer" }).click();
    await page.getByText("You are Developer, administrator.").waitFor();
    const sessions = page.getByRole("list", { name: "Your sessions" });
    await sessions.getByText("this browser").waitFor();
    expect(await sessions.getByRole("listitem").count()).toBe(1);
  });
});

/** Invites a viewer on the page of people, and returns the link. */
async function inviteWith(page: Page, name: string): Promise<string> {
  await page.getByRole("link", { name: "People" }).click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Role", { exact: true }).selectOption("viewer");
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  const dialog = page.getByRole("dialog");
  const link = await dialog.locator("code").innerText();
  await dialog.getByRole("checkbox").check();
  await dialog.getByRole("button", { name: "Done" }).click();
  return link;
}
