/** Checks that apply to every screen of the console; every-registry-screen.test.ts has the registry and its votes. */
import { describe, expect, test } from "vitest";
import { hasBrowser } from "../../support/browser/browser.ts";
import { addresses, isOfRegistry } from "../../support/console/addresses.ts";
import { developmentKeys } from "../../support/console/development-keys.ts";
import { testEveryScreen } from "../../support/console/every-screen.ts";

describe.runIf(hasBrowser)("every screen", () => {
  const app = testEveryScreen(addresses.filter((address) => !isOfRegistry(address)));

  test("is caught when it does something forbidden [CN-29, CN-30]", async () => {
    const { page, faults } = await app.open({ path: "/votes", width: 320, touch: true });
    await page.evaluate(`(async () => {
      const secret = ${JSON.stringify(developmentKeys().apiKey)};
      localStorage.setItem("kept", secret);
      const opening = indexedDB.open("kept", 2);
      opening.onupgradeneeded = () => opening.result.createObjectStore("kept");
      await new Promise((resolve) => { opening.onsuccess = resolve; });
      const writing = opening.result.transaction("kept", "readwrite");
      writing.objectStore("kept").put({ bytes: new TextEncoder().encode(secret) }, 1);
      await new Promise((resolve) => { writing.oncomplete = resolve; });
      opening.result.close();
      console.info(secret);
      location.hash = secret;
      history.replaceState({ secret }, "", "?");
      await fetch("https://example.com/").catch(() => undefined);
      await fetch("/v1/nowhere?key=" + secret);
      try { setTimeout("1"); } catch {}
      setTimeout(() => { throw new Error("oh"); }, 0);
      await new Promise((resolve) => setTimeout(resolve, 0));
    })()`);
    await faults.lookAtStorage();
    const found = faults.found().map((fault) => fault.split("\n")[0]?.slice(0, 30));
    expect(found).toEqual(
      expect.arrayContaining(
        [
          "csp: connect-src https://exampl",
          expect.stringMatching(/^csp: require-trusted-types/),
          "page error: Error: oh",
          expect.stringMatching(/^answer: 404 GET/),
          "secret: in the address",
          "secret: in a request's address",
          "secret: in the history",
          "secret: in the console",
          "secret: in localStorage",
          "secret: in IndexedDB",
        ].map((each) => (typeof each === "string" ? each.slice(0, 30) : each)),
      ),
    );
    faults.allow(/./);
  });
});
