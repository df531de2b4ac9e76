/** Checks that apply to every screen of the console: the registry and its votes. */
import { describe } from "vitest";
import { hasBrowser } from "../../support/browser/browser.ts";
import { addresses, isOfRegistry } from "../../support/console/addresses.ts";
import { testEveryScreen } from "../../support/console/every-screen.ts";

describe.runIf(hasBrowser)("every screen of the registry", () => {
  testEveryScreen(addresses.filter(isOfRegistry));
});
