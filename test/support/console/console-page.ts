/** Opens a page of the console in its own browser context, and records what it does. */
import type { BrowserContext, Page } from "playwright-core";
import type { Credentials } from "../../../console/src/api/credentials.ts";
import type { TestBrowser } from "../browser/browser.ts";
import type { RunningServer } from "../server/running-server.ts";
import { developmentKeys } from "./development-keys.ts";
import { watchForFaults, type PageFaults } from "./page-faults.ts";

export type Theme = "light" | "dark";

export interface ConsolePageOptions {
  /** Below /console, with its query; `/` by default. */
  readonly path?: string;
  /** Pixels; 1280 by default. */
  readonly width?: number;
  /** Pixels; 800 by default. */
  readonly height?: number;
  readonly theme?: Theme;
  /** With the keys of the development machine by default; `false` for none. */
  readonly signedIn?: "development" | false | Credentials;
  /** Emulates a touch device. */
  readonly touch?: boolean;
  /** Reduced unless `false`, so that nothing moves during a test. */
  readonly reducedMotion?: boolean;
  readonly forcedColors?: boolean;
  /** Device pixels per CSS pixel: 2 with half the width emulates 200 % zoom. */
  readonly deviceScaleFactor?: number;
  /** Texts of page-faults.ts that are allowed on this page. */
  readonly allow?: readonly RegExp[];
  /** Called before the address is opened, for example to inject failures. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

export interface ConsolePage {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly theme: Theme;
  readonly width: number;
  readonly faults: PageFaults;
  /** Opens an address below /console in this page, like a link from outside. */
  goto(path: string): Promise<void>;
  /** Checks for faults a last time, closes the context, and returns the faults. */
  close(): Promise<readonly string[]>;
}

/** The storage key of console/src/api/credentials.ts. */
const STORAGE_KEY = "twinedge console credentials";
const HEIGHT = 800;

export async function openConsolePage(
  { server, browser }: { readonly server: RunningServer; readonly browser: TestBrowser },
  {
    path = "/",
    width = 1280,
    height = HEIGHT,
    theme = "light",
    signedIn = "development",
    touch = false,
    reducedMotion = true,
    forcedColors = false,
    deviceScaleFactor = 1,
    allow = [],
    prepare,
  }: ConsolePageOptions,
): Promise<ConsolePage> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    hasTouch: touch,
    isMobile: touch,
    deviceScaleFactor,
    reducedMotion: reducedMotion ? "reduce" : "no-preference",
    forcedColors: forcedColors ? "active" : "none",
    locale: "en-GB",
    timezoneId: "UTC",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const keys = signedIn === "development" ? developmentKeys() : signedIn;
  if (keys !== false) await context.addInitScript(signInScript(server.url, keys));
  const secrets = Object.values({ ...developmentKeys(), ...(keys === false ? {} : keys) });
  const faults = await watchForFaults(context, server, { secrets, allow });
  const page = await context.newPage();
  await prepare?.(page);
  const goto = async (to: string): Promise<void> => {
    await page.goto(`${server.url}/console${to === "/" ? "" : to}`, { waitUntil: "domcontentloaded" });
    await page.locator("main h1").first().waitFor();
  };
  await goto(path);
  return {
    page,
    context,
    theme,
    width,
    faults,
    goto,
    async close() {
      await faults.lookAtStorage();
      await context.close();
      return faults.found();
    },
  };
}

/** Signs a tab in once: later changes of its keys are kept. */
function signInScript(origin: string, keys: Credentials): string {
  const marker = JSON.stringify("test: was signed in");
  return `if (location.origin === ${JSON.stringify(origin)} && sessionStorage.getItem(${marker}) === null) {
    sessionStorage.setItem(${marker}, "yes");
    sessionStorage.setItem(${JSON.stringify(STORAGE_KEY)}, JSON.stringify({ leftAt: Date.now(), keys: ${JSON.stringify(keys)} }));
  }`;
}
