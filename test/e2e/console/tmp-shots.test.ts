import { beforeAll, describe, expect, test } from "vitest";
import { startConsoleForTests } from "../../support/console/console-for-tests.ts";
import { registrySample, type RegistrySample } from "../../support/console/registry-sample.ts";
import { mkdirSync } from "node:fs";
mkdirSync("/tmp/shots", { recursive: true });
describe("shots", () => {
  const app = startConsoleForTests();
  let sample: RegistrySample;
  beforeAll(async () => {
    sample = await registrySample(app.server);
  });
  test.each([
    [1440, "light"],
    [768, "dark"],
    [320, "light"],
    [320, "dark"],
  ] as const)("%s %s", async (width, theme) => {
    const { page, goto } = await app.open({ path: "/", width, theme, allow: [/./] });
    const shot = (name: string) => page.screenshot({ path: `/tmp/shots/${name}-${width}-${theme}.png` });
    const settle = () => page.locator(".skeleton").first().waitFor({ state: "detached" });
    await page.getByText("Developer").first().waitFor();
    await settle();
    await shot("home");
    await goto("/votes");
    await page.getByText("Developer").first().waitFor();
    await settle();
    await shot("votes");
    await goto(`/votes/${sample.openProposal}`);
    await page.getByText("Brian").first().waitFor();
    await settle();
    await page.screenshot({ path: `/tmp/shots/proposal-${width}-${theme}.png`, fullPage: true });
    await goto("/votes/audit");
    await page.getByText("Brian").first().waitFor();
    await shot("audit");
    await goto("/votes/roll");
    await page.getByText("Brian").first().waitFor();
    await shot("roll");
    await page.getByRole("button", { name: "Invite a voter" }).click();
    await page.getByLabel("Name").fill("Wanjiru");
    await shot("invite");
    await page.keyboard.press("Escape");
    await shot("loss");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").getByRole("button", { name: "Invite", exact: true }).click();
    await page.getByText("Wanjiru can vote").waitFor();
    await shot("invited");
    await page.getByLabel("I have sent").check();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Change Brian" }).click();
    await page.getByLabel("Power").fill("5");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("The power of Brian").waitFor();
    await shot("confirm");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Leave and discard" }).click();
    await page.getByRole("button", { name: "Remove Wanjiru" }).click();
    await page.getByRole("button", { name: "Remove the voter" }).click();
    await page.getByRole("banner").getByRole("button", { name: "Account" }).click();
    await page.getByRole("banner").getByRole("button", { name: "Change keys" }).click();
    await shot("signin");
    await page.keyboard.press("Escape");
    await page.getByRole("banner").getByRole("button", { name: "Account" }).click();
    await page.getByRole("banner").getByRole("button", { name: "Sign out" }).click();
    await shot("signout");
    await goto("/chat?panel=identity");
    await page.getByRole("button", { name: "Forget this identity" }).click();
    await shot("forget");
    expect(1).toBe(1);
  });
});
