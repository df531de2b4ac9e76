/**
 * The system's Chromium, for tests that need a real browser. Where it is missing they are skipped and say why, unless
 * `REQUIRE_BROWSER` is set, as `.ci/run` does: then that is an error.
 */
import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";

const EXECUTABLE = "/usr/bin/chromium";
/** Used where it is installed, but not for measuring: it needs less of the machine, and paints a key later. */
const SHELL = "/usr/bin/chromium-headless-shell";

export const hasBrowser = existsSync(EXECUTABLE);

if (!hasBrowser) {
  const reason = `browser tests need ${EXECUTABLE} (apt-get install chromium)`;
  if (process.env["REQUIRE_BROWSER"] !== undefined) throw new Error(reason);
  process.stderr.write(`skipped: ${reason}\n`);
}

/**
 * Chromium counts the last list of disabled features alone, so this one repeats what Playwright's own has for tests. Beyond that it
 * leaves out the suggestions of the address bar, which are two pages of their own behind every window: four fifths of what a new
 * context costs.
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

/** Milliseconds that a page may take for anything it is asked: how long depends on the machine, this only ends what hangs. */
const PATIENCE = 120_000;

/** What a test file uses of a browser. */
export interface TestBrowser extends Pick<Browser, "contexts" | "newContext" | "newPage"> {
  /** Closes what was opened in it. */
  close(): Promise<void>;
}

let shared: Promise<Browser> | undefined;

/**
 * One browser serves the test files of a worker, one after the other, each with contexts of its own.
 *
 * @param args more arguments of Chromium's command line, for a browser that serves its caller alone.
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

/** A browser of the caller alone, who closes it: for measuring, and for separate arguments. */
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
