/**
 * The cost of a fast reply for a page: how often the page and its other messages are drawn, and the main thread's time, with this
 * SDK, the established client and the AI SDK's hook. Page and stream are equal for all.
 */
import type { Browser } from "playwright-core";
import { hasBrowser, launchBrowser } from "../../test/support/browser/browser.ts";
import { inTurns } from "../rounds.ts";
import { rowOf, type Row } from "../rows.ts";
import { fieldClient } from "../sdk/field-client.ts";
import { streamPages, type Client } from "../sdk/stream-pages.ts";
import { CHUNKS, LAST_WORD, startWireServer } from "../sdk/wire-server.ts";
import type { Measure } from "./measure.ts";

interface Cost {
  /** Draws of the page. */
  readonly page: number;
  /** Draws of messages other than the last one. */
  readonly others: number;
  /** Milliseconds of main thread work, and the part of it that ran scripts. */
  readonly busy: number;
  readonly scripts: number;
}

const names: Readonly<Record<Client, string>> = {
  ours: "ours",
  field: "established client",
  "ai-sdk": "@ai-sdk/react",
};
const modes = ["immediate", "batched", "throttled"] as const;
type Mode = (typeof modes)[number];

export const sdkStream: Measure = {
  name: "sdk-stream",
  about: `a reply of ${CHUNKS} chunks in a page, in Chromium: how often it is drawn, and time of the main thread`,
  async take({ options: { rounds }, say }) {
    if (!hasBrowser) {
      say("There is no Chromium here.");
      return [];
    }
    const field = await fieldClient(say);
    const server = await startWireServer(await streamPages(field));
    const browser = await launchBrowser();
    try {
      const sides: Record<string, () => Promise<Cost>> = {};
      for (const client of ["ours", ...(field === undefined ? [] : ["field" as const]), "ai-sdk"] as const)
        for (const mode of modes)
          // The AI SDK draws at once, or at most once per given number of milliseconds.
          if (client !== "ai-sdk" || mode !== "batched")
            sides[`${client} ${mode}`] = () => costOf(browser, `${server.url}/${client}/?mode=${mode}`);
      const taken = await inTurns(rounds, sides);
      return modes.flatMap((mode) => rowsOf(mode, taken));
    } finally {
      await browser.close();
      await server.close();
    }
  },
};

function rowsOf(mode: Mode, taken: Readonly<Record<string, readonly Cost[]>>): Row[] {
  const ours = taken[`ours ${mode}`] ?? [];
  const figures = [
    ["page drawn", "times", ({ page }: Cost) => page],
    ["other messages drawn", "times", ({ others }: Cost) => others],
    ["main thread", "ms", ({ busy }: Cost) => busy],
    ["its scripts", "ms", ({ scripts }: Cost) => scripts],
  ] as const;
  return (["field", "ai-sdk"] as const).flatMap((client) => {
    // The AI SDK has no pacing by frames: its immediate mode is the comparison.
    const theirs = taken[`${client} ${mode}`] ?? taken[`${client} immediate`];
    if (theirs === undefined) return [];
    return figures.map(([what, unit, of]) =>
      rowOf({
        what: `${what}, ${mode}`,
        unit,
        scale: "time",
        samples: ours.map(of),
        baseline: { name: names[client], samples: theirs.map(of) },
      }),
    );
  });
}

async function costOf(browser: Browser, url: string): Promise<Cost> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(url);
    // The stored messages are visible, and nothing else is happening.
    await page.getByText("turn 9, some words").first().waitFor();
    await page.getByRole("status").filter({ hasText: "ready" }).waitFor();
    const protocol = await context.newCDPSession(page);
    await protocol.send("Performance.enable");
    const times = async (): Promise<{ busy: number; scripts: number }> => {
      const { metrics } = await protocol.send("Performance.getMetrics");
      const ms = (wanted: string): number => (metrics.find(({ name }) => name === wanted)?.value ?? NaN) * 1000;
      return { busy: ms("TaskDuration"), scripts: ms("ScriptDuration") };
    };
    const counts = () =>
      page.evaluate(() => ({ ...(globalThis as unknown as { counts: { page: number; others: number } }).counts }));
    const [before, start] = [await counts(), await times()];
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText(LAST_WORD).waitFor({ timeout: 120_000 });
    await page.getByRole("status").filter({ hasText: "ready" }).waitFor();
    const [after, end] = [await counts(), await times()];
    return {
      page: after.page - before.page,
      others: after.others - before.others,
      busy: end.busy - start.busy,
      scripts: end.scripts - start.scripts,
    };
  } finally {
    await context.close();
  }
}
