/** The operator's view of the phone in a real browser: what an address may contain, and which parts need the operator's token. */
import { describe, expect, test } from "vitest";
import { hasBrowser } from "../../support/browser/browser.ts";
import { startConsoleForTests } from "../../support/console/console-for-tests.ts";
import { phoneOf } from "../../support/console/phone-page.ts";

const PIN = "86420";

describe.runIf(hasBrowser)("the phone", () => {
  const app = startConsoleForTests({ USSD_RATE_LIMIT_PER_MINUTE: "100000" });

  test("phone numbers and Customer IDs are in no address, no history and no shared link [CN-247]", async () => {
    const { page, goto } = await app.open({
      path: "/phone?phone=%2B260971230077&phone2=%2B260971230078&phones=2",
    });
    const numbers = page.getByLabel("Phone number");
    await expect.poll(() => page.url()).toMatch(/\/console\/phone\?phones=2$/);
    expect(await numbers.first().inputValue()).toBe("+260971230077");
    expect(await numbers.last().inputValue()).toBe("+260971230078");
    await numbers.first().fill("+260971230079");
    expect(page.url()).not.toContain("26097");
    await page.getByRole("link", { name: "Operator's view" }).click();
    await page.getByRole("link", { name: "Customers" }).click();
    await page.getByLabel("Customer ID").fill("C00000000X");
    expect(page.url()).not.toContain("C00000000X");
    await page.getByRole("link", { name: "Statistics" }).click();
    await page.getByRole("link", { name: "Customers" }).click();
    expect(await page.getByLabel("Customer ID").inputValue()).toBe("C00000000X");
    await goto("/phone/operator/customers?customer=C00000000Y");
    await expect.poll(() => page.url()).toMatch(/\/customers$/);
    expect(await page.getByLabel("Customer ID").inputValue()).toBe("C00000000Y");
  });

  test("a live session is listed with where it is in the menus and how old it is [CN-119]", async () => {
    const { page, goto } = await app.open({ path: "/phone" });
    await page.getByRole("button", { name: "Dial", exact: true }).click();
    await page.locator(".phone-display.live").waitFor();
    await goto("/phone/operator");
    const session = page.locator(".phone-sessions > li").first();
    await session.getByText(/^pre menu, started (just now|\d+ sec\. ago), last input /).waitFor();
    await session.getByRole("link").click();
    const heading = page.getByRole("heading", { name: /^Session / });
    await heading.waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/console\/phone\/operator\/sessions\/./);
  });

  test("without the operator's token customers and statistics ask for it [CN-119]", async () => {
    const { page, goto } = await app.open({
      path: "/phone/operator/statistics",
      signedIn: false,
      allow: [/^answer: 401 POST .*\/unlock$/],
    });
    await page.getByText("This needs the phone operator's token").waitFor();
    await goto("/phone/operator/customers?customer=C00000000X");
    await page.getByText("This needs the phone operator's token").waitFor();
    await page.getByRole("button", { name: "Unlock" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Unlock" }).click();
    await page.getByRole("alert").getByRole("button", { name: "Sign in" }).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(1);
  });

  test("an operator sees the session of the handset, helps its customer and reads statistics [CN-119] [CN-233] [CN-255]", async () => {
    // A session that opened an account and has ended, so that there are endings and results to count.
    let typed = "";
    for (const input of ["", "2", "*2", "*Ann", "*00", `*${PIN}`, `*${PIN}`, "**"]) {
      typed += input;
      const call = { sessionId: "ended", serviceCode: "*2233#", phoneNumber: "+260971230017", text: typed };
      await fetch(`${app.server.url}/api/ussd`, { method: "POST", body: JSON.stringify(call) });
    }
    const { page, faults } = await app.open({
      path: "/phone?phone=%2B260971230016&play=d&play=i2&play=i2&play=iMary&play=i00&play=i{pin}&play=i{pin}",
    });
    const { section, shows } = phoneOf(page);
    await section.getByLabel("PIN to use as {pin}").fill(PIN);
    await section.getByRole("button", { name: "Replay" }).click();
    await section.getByText("All 7 steps were replayed.").waitFor();
    await shows("Account created");
    const shown = (await section.getByRole("status", { name: "Display" }).textContent()) ?? "";
    const customerId = /C[0-9A-F]{8}[0-9A-Z]/.exec(shown)?.[0] ?? "";
    await section.getByRole("link", { name: "Debug record" }).click();
    await page.getByRole("definition").filter({ hasText: "+260971230016" }).waitFor();
    await page.locator(".phone-record pre").last().filter({ hasText: customerId }).waitFor();
    await page.goBack();
    await shows("Account created");

    await page.getByRole("link", { name: "Operator's view" }).click();
    await page.getByRole("heading", { name: /live session/ }).waitFor();
    await page.getByRole("link", { name: "Customers" }).click();
    await page.getByLabel("Customer ID").fill(customerId);
    const dialog = page.getByRole("dialog");
    const confirm = async (name: string, effect: string): Promise<void> => {
      await page.getByRole("button", { name, exact: true }).click();
      await dialog.getByText(effect).waitFor();
      await dialog.getByRole("button", { name, exact: true }).click();
      await dialog.waitFor({ state: "detached" });
    };
    await confirm("Reset the PIN", `The PIN of ${customerId} stops working`);
    const temporary = await page.locator(".phone-pin").textContent();
    expect(temporary).toMatch(/^\d{5}$/);
    // It stays over a look at other parts of the screen, and leaving the screen asks first.
    await page.getByRole("link", { name: "Statistics" }).click();
    await page.locator(".phone-pin").waitFor({ state: "detached" });
    await page.getByRole("link", { name: "Customers" }).click();
    expect(await page.locator(".phone-pin").textContent()).toBe(temporary);
    await page.getByRole("link", { name: "Phone", exact: true }).first().click();
    await page.getByRole("link", { name: "Operator's view" }).click();
    await page.getByRole("link", { name: "Home" }).click();
    await dialog.getByText("You have not noted a temporary PIN yet.").waitFor();
    await dialog.getByRole("button", { name: "Stay here" }).click();
    await page.getByRole("link", { name: "Customers" }).click();
    expect(await page.locator(".phone-pin").textContent()).toBe(temporary);
    const kept = await page.evaluate<string>(
      `JSON.stringify([{ ...sessionStorage }, { ...localStorage }, location.href, history.state])`,
    );
    expect(kept).not.toContain(temporary);
    await page.getByRole("button", { name: "I have noted it" }).click();
    expect(await page.locator("main").textContent()).not.toContain(temporary);
    await page.getByLabel("Customer ID").fill(customerId);
    await confirm("Unlock", `${customerId} can log in again at once`);
    await page.getByText(`${customerId} is unlocked.`).waitFor();
    await page.getByLabel("DID to link").fill("did:web:mary.example");
    await confirm("Link the DID", "sees the records that did:web:mary.example controls");
    await confirm("Rotate keys", "This re-encrypts all PINs and signing keys");
    await page.getByText(/\d+ examined, \d+ re-encrypted, 0 unreadable\./).waitFor();

    await page.getByRole("link", { name: "Statistics" }).click();
    await page
      .getByRole("row", { name: /Exit by the caller/ })
      .first()
      .waitFor();
    const heads = async (title: string): Promise<readonly string[]> =>
      page.getByRole("table", { name: title }).getByRole("columnheader").allTextContents();
    expect([await heads("How sessions ended"), await heads("Results"), await heads("Time to reply")]).toEqual([
      ["How sessions ended", "Sessions"],
      ["Results", "Times"],
      ["Time to reply", "Requests"],
    ]);
    await page.getByRole("button", { name: "Show the metrics" }).click();
    await page.getByText("# TYPE ussd_sessions_total counter").waitFor();
    expect(faults.found()).toEqual([]);
  });
});
