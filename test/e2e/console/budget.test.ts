/** The console's performance budget before it can be used: bytes of the build, and requests of a first visit. */
import { describe, expect, test } from "vitest";
import { hasBrowser } from "../../support/browser/browser.ts";
import { buildSizes } from "../../support/console/build-sizes.ts";
import { startConsoleForTests } from "../../support/console/console-for-tests.ts";
import { callRegistry } from "../../support/console/registry-sample.ts";

const KB = 1_024;
/** Bytes after gzip. */
const SCRIPT_LIMIT = 180 * KB;
const STYLE_LIMIT = 25 * KB;
const LATER_LIMIT = 80 * KB;
/** Requests of a first visit, until its screen can be used. */
const REQUEST_LIMIT = 6;

describe("the build", () => {
  const { script, style, later } = buildSizes();

  test("loads at most 180 KB of script and 25 KB of style before its first screen [CN-31]", () => {
    expect(script).toBeGreaterThan(KB);
    expect(script).toBeLessThanOrEqual(SCRIPT_LIMIT);
    expect(style).toBeGreaterThan(KB);
    expect(style).toBeLessThanOrEqual(STYLE_LIMIT);
  });

  test("loads every other screen and part later, at most 80 KB each [CN-31]", () => {
    const names = later.map(({ name }) => name);
    for (const screen of ["registry", "votes", "phone", "chat", "queries", "keys"])
      expect(names).toContain(`${screen}-screen`);
    const tooLarge = later.filter(({ size }) => size > LATER_LIMIT);
    expect(tooLarge).toEqual([]);
  });
});

describe.runIf(hasBrowser)("a first visit", () => {
  const app = startConsoleForTests();

  test.each(["/", "/registry", "/votes", "/phone", "/chat", "/queries", "/keys"])(
    "of %s loads its screen with at most 5 requests, so that the sixth brings its data [CN-32]",
    async (path) => {
      const files: string[] = [];
      const { page } = await app.open({
        path,
        signedIn: false,
        allow: [/^answer: 401 GET/],
        prepare: async (fresh) =>
          void fresh.on("request", (request) => {
            const { pathname } = new URL(request.url());
            // The browser requests the icon last, and nothing waits for it.
            if (pathname.startsWith("/console") && !pathname.endsWith(".svg")) files.push(pathname);
          }),
      });
      await page.locator("main .skeleton").first().waitFor({ state: "detached" });
      // At least the page, its script and its style sheet; a cached answer would not be a first visit.
      expect(files.length).toBeGreaterThanOrEqual(3);
      expect(files.length, files.join("\n")).toBeLessThan(REQUEST_LIMIT);
    },
  );

  test("shows the domains to a signed-in user after 6 of its requests, without any other [CN-32]", async () => {
    const body = { type: "Project", class: "did:ixo:protocol/clean-cooking", metadata: { name: "The one" } };
    await callRegistry(app.server, "POST", "/v1/domains", { body });
    const answered: string[] = [];
    const { page } = await app.open({
      path: "/registry",
      prepare: (fresh) =>
        fresh.route("**/*", async (route) => {
          const { pathname } = new URL(route.request().url());
          // All other requests never complete.
          if (!pathname.startsWith("/console") && pathname !== "/v1/domains") return;
          if (!pathname.endsWith(".svg")) answered.push(pathname);
          await route.continue();
        }),
    });
    await page.locator("main").getByRole("link", { name: "The one" }).waitFor();
    expect(answered.length, answered.join("\n")).toBeLessThanOrEqual(REQUEST_LIMIT);
  });
});
