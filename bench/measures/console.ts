/**
 * The cost of a first visit to each screen of the console on a slow connection and processor, in Chromium: the time of its largest
 * content, its layout shift, and the blocking of the main thread. The cache is empty each time.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { hasBrowser, launchBrowser } from "../../test/support/browser/browser.ts";
import { SLOW_LINE, throttle } from "../../test/support/console/network.ts";
import { startEdge } from "../console/edge.ts";
import { filledRegistry } from "../filled-registry.ts";
import { inTurns } from "../rounds.ts";
import { rowOf, type Row } from "../rows.ts";
import type { Measure } from "./measure.ts";

interface Visit {
  /** Milliseconds from the click to the largest content. */
  readonly largest: number;
  /** Cumulative layout shift. */
  readonly shift: number;
  /** Milliseconds of tasks over 50 ms: the longest one, and the sum of their excess (total blocking time). */
  readonly longest: number;
  readonly blocked: number;
  readonly requests: number;
  /** Rows of tables; the registry has as many domains as `--domains` says. */
  readonly rows: number;
}

const screens = ["/", "/registry", "/registry?limit=100", "/votes", "/phone", "/chat", "/queries", "/keys"];

/** Maximum rows of a list page, however many domains there are. */
const MOST_ROWS = 100;

const figures = [
  ["largest content", "ms", ({ largest }: Visit) => largest, 2_500],
  ["layout shift", "", ({ shift }: Visit) => shift, 0.05],
  ["longest task", "ms", ({ longest }: Visit) => longest, 200],
  ["tasks beyond 50 ms", "ms", ({ blocked }: Visit) => blocked, undefined],
  ["requests", "", ({ requests }: Visit) => requests, undefined],
  ["rows", "", ({ rows }: Visit) => rows, MOST_ROWS + 1],
] as const;

/** Milliseconds after the screen has settled during which it must not shift again. */
const AFTERWARDS = 1_000;

export const consoleVisits: Measure = {
  name: "console",
  about: `a first visit of each screen of the console at ${SLOW_LINE.kbps / 1000} Mbit/s, ${SLOW_LINE.latency} ms and a processor ${SLOW_LINE.cpu} times slower`,
  async take({ runtime, options: { rounds, domains }, say }) {
    if (!hasBrowser) {
      say("There is no Chromium here.");
      return [];
    }
    const { headers } = await filledRegistry(runtime, domains, say);
    const apiKey = (headers["Authorization"] ?? "").slice("Bearer ".length);
    const edge = await startEdge(runtime.oracle);
    const browser = await launchBrowser();
    try {
      const sides = Object.fromEntries(
        screens.map((path) => [path, () => visit(browser, `${edge.url}/console${path}`, apiKey)]),
      );
      const taken = await inTurns(rounds, sides);
      return Object.entries(taken).flatMap(([path, visits]) => rowsOf(path, visits));
    } finally {
      await browser.close();
      await edge.close();
    }
  },
};

function rowsOf(path: string, visits: readonly Visit[]): Row[] {
  return figures.map(([what, unit, of, below]) =>
    rowOf({
      what: `${path}: ${what}`,
      unit,
      scale: "time",
      samples: visits.map(of),
      ...(below === undefined ? {} : { aim: { below } }),
    }),
  );
}

/** Records the browser's reports from the start. */
const OBSERVE = `globalThis.visit = { largest: 0, shift: 0, tasks: [] };
for (const [type, note] of Object.entries({
  "largest-contentful-paint": ({ startTime }) => { visit.largest = startTime; },
  "layout-shift": ({ value, hadRecentInput }) => { if (!hadRecentInput) visit.shift += value; },
  longtask: ({ duration }) => { visit.tasks.push(duration); },
})) new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });`;

/** @param apiKey of the signed-in user. */
async function visit(browser: Browser, url: string, apiKey: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  try {
    const keys = JSON.stringify(JSON.stringify({ apiKey }));
    await context.addInitScript(
      `${OBSERVE} if (location.protocol === "http:") sessionStorage.setItem("twinedge console credentials", ${keys});`,
    );
    const page = await context.newPage();
    let requests = 0;
    page.on("request", () => (requests += 1));
    await throttle(page);
    await page.goto(url, { waitUntil: "domcontentloaded" });
    await page.locator("main h1").waitFor();
    await page.locator("main .skeleton").first().waitFor({ state: "detached" });
    await delay(AFTERWARDS);
    const { tasks, ...seen } = await page.evaluate<{ largest: number; shift: number; tasks: number[] }>(
      "globalThis.visit",
    );
    const blocked = tasks.reduce((sum, task) => sum + task - 50, 0);
    const rows = await page.locator("main tbody tr").count();
    return { ...seen, rows, longest: Math.max(0, ...tasks), blocked, requests };
  } finally {
    await context.close();
  }
}
