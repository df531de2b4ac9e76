/**
 * The system's Chromium, for tests that need a real browser. Without it, these tests are skipped with a message, unless
 * `REQUIRE_BROWSER` is set, as in `.ci/run`: then a missing browser is an error.
 */
import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";

const EXECUTABLE = "/usr/bin/chromium";
/** Used if it is installed, except for measurements: it needs fewer resources, but paints a key later. */
const SHELL = "/usr/bin/chromium-headless-shell";

export const hasBrowser = existsSync(EXECUTABLE);

if (!hasBrowser) {
  const reason = `browser tests need ${EXECUTABLE} (apt-get install chromium)`;
  if (process.env["REQUIRE_BROWSER"] !== undefined) throw new Error(reason);
  process.stderr.write(`skipped: ${reason}\n`);
}

/**
 * Chromium uses only the last list of disabled features, so this one repeats Playwright's own. It also disables the address bar's
 * suggestions, which open two pages for every window: four fifths of the cost of a new context.
 */
const DISABLED_FEATURES = [
  "AimEnabled",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "ThirdPartyStoragePartitioning",
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxPopup",
];

/** Time limit of any page operation, milliseconds: only ends operations that hang, since the duration depends on the machine. */
const PATIENCE = 120_000;

/** The part of a browser that test files use. */
export interface TestBrowser extends Pick<Browser, "contexts" | "newContext" | "newPage"> {
  /** Closes everything that was opened in it. */
  close(): Promise<void>;
}

let shared: Promise<Browser> | undefined;

/**
 * One browser serves the test files of a worker in turn, each with its own contexts.
 *
 * @param args more arguments of Chromium's command line, for a browser that only this caller uses.
 */
export async function startBrowser(args: readonly string[] = []): Promise<TestBrowser> {
  if (args.length > 0) return launchBrowser(args);
  shared ??= launch(existsSync(SHELL) ? SHELL : EXECUTABLE, []);
  const browser = await shared;
  return {
    contexts: () => browser.contexts(),
    newContext: (options) => browser.newContext(options),
    newPage: (options) => browser.newPage(options),
    close: async () => void (await Promise.all(browser.contexts().map((context) => context.close()))),
  };
}

/** A browser that only the caller uses, and closes: for measurements, and for other arguments. */
export function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  return launch(EXECUTABLE, args);
}

async function launch(executablePath: string, args: readonly string[]): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      `--disable-features=${DISABLED_FEATURES.join(",")}`,
      ...args,
    ],
  });
  browser.on("context", (context) => context.setDefaultTimeout(PATIENCE));
  return browser;
}
