/**
 * Checks that apply to every screen of the console, as tests over a list of addresses. Several files divide the addresses, and run
 * in parallel.
 */
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { UNREACHABLE_HOST, type ScreenAddress } from "./addresses.ts";
import { startConsoleForTests, type ConsoleForTests } from "./console-for-tests.ts";
import { drawn, faultsInEveryLook } from "./every-look.ts";
import { registrySample, type RegistrySample } from "./registry-sample.ts";

/** Waits until nothing loads and everything is rendered. */
async function settled(page: Page): Promise<void> {
  await page.locator(".skeleton").first().waitFor({ state: "detached" });
  await drawn(page);
}

/** Called inside a `describe.runIf(hasBrowser)`; returns the started console. */
export function testEveryScreen(addresses: readonly ScreenAddress[]): ConsoleForTests {
  const app = startConsoleForTests({ REGISTRY_WEBHOOK_HOSTS: UNREACHABLE_HOST });
  // One browser caches the console's files for all addresses, and opens each once.
  const signedIn = app.journey();
  const signedOut = app.journey({ signedIn: false, allow: [/^answer: 401 GET/] });
  let sample: RegistrySample;
  beforeAll(async () => {
    sample = await registrySample(app.server);
  });

  test.each(addresses)(
    "$name: opens from its address and is accessible, light and dark, 320 and 1280 wide [CN-26, CN-27, CN-28]",
    async ({ name, path, isSignedOut = false, ready, allow = [] }) => {
      const { page, faults, goto } = isSignedOut ? signedOut : signedIn;
      faults.startOver([...allow, ...(isSignedOut ? [/^answer: 401 GET/] : [])]);
      await page.emulateMedia({ colorScheme: "light", forcedColors: "none" });
      await page.setViewportSize({ width: 1280, height: 800 });
      await goto(typeof path === "string" ? path : path(sample));
      await settled(page);
      if (ready !== undefined) {
        await ready(page);
        await settled(page);
      }
      expect(await faultsInEveryLook(page, name)).toEqual({});
    },
  );
  return app;
}
