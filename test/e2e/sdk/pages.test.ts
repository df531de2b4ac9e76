/** Tests the support for browser tests itself: a page signs in at the oracle, and its requests are counted. */
import { beforeAll, describe, expect, test } from "vitest";
import { disposeAfterTests } from "../../support/server/dispose-after-tests.ts";
import { hasBrowser } from "../../support/browser/browser.ts";
import { startSdkPages, type SdkPages } from "../../support/sdk/sdk-pages.ts";

describe.runIf(hasBrowser)("a page under test", () => {
  let pages: SdkPages;
  const started = disposeAfterTests();
  beforeAll(async () => {
    pages = started(await startSdkPages());
  });

  test("signs in with tokens that are counted, and its requests are recorded", async () => {
    const user = await pages.signUp();
    await user.newSession();
    const { page, traffic, faults } = await pages.open("signed-in", user);
    await page.getByRole("status").filter({ hasText: "1" }).waitFor();
    expect(user.mints).toEqual({ delegation: 0, invocation: 2 });
    const { method, path, status } = traffic.requests[0] ?? {};
    expect({ method, path, status }).toEqual({ method: "GET", path: "/sessions", status: 200 });
    expect(faults).toEqual([]);
  });
});
