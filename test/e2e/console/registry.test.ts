/** The registry screen in a real browser: its forms, the bulk import, the list, a domain's page, and files. */
import { describe } from "vitest";
import { hasBrowser } from "../../support/browser/browser.ts";
import { startConsoleForTests } from "../../support/console/console-for-tests.ts";
import { testDomain } from "./registry/domain.ts";
import { testFiles } from "./registry/files.ts";
import { testForms } from "./registry/forms.ts";
import { testLists } from "./registry/lists.ts";

// One server for all; each test adds domains.
describe.runIf(hasBrowser)("the registry screen", () => {
  const app = startConsoleForTests();
  testForms(app);
  testLists(app);
  testDomain(app);
  testFiles(app);
});
