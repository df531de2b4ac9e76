/** The operator's view of the phone in a real browser: the content of addresses, and what requires the operator's token. */
import { describe, expect, test } from "vitest";
import { hasBrowser } from "../../support/browser/browser.ts";
import { startConsoleForTests } from "../../support/console/console-for-tests.ts";

describe.runIf(hasBrowser)("the phone", () => {
  const app = startConsoleForTests({ USSD_RATE_LIMIT_PER_MINUTE: "100000" });

  test("no address, history or shared link contains phone numbers or Customer IDs [CN-247]", async () => {
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

  test("a live session is listed with its menu and its age [CN-119]", async () => {
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

  test("without the operator's token, customers and statistics ask for it [CN-119]", async () => {
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
});
