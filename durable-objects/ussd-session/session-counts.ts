/**
 * What is counted of a session without personal data (contract/ussd.md section 7, `ussd_stats`): screens shown and
 * inputs refused on them, where it ended, what came about, how long replies took. Reported once, when it is over.
 */
import type { Language } from "./i18n/languages.ts";

/** Upper bounds of the histogram of reply times, milliseconds. */
const LATENCY_BOUNDS = [25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const;

/** What is worth counting by itself. */
export type Milestone = "login" | "account_created" | "question_answered" | "resumed";

export interface ScreenCounts {
  readonly shown: number;
  readonly refused: number;
}

export interface SessionCounts {
  readonly language: Language;
  readonly screens: Readonly<Record<string, ScreenCounts>>;
  readonly steps: number;
  readonly resyncs: number;
  readonly overflows: number;
  readonly milestones: Readonly<Partial<Record<Milestone, number>>>;
  /** Replies by the bound that they came within, milliseconds; `inf` beyond all. */
  readonly latencies: Readonly<Record<string, number>>;
  readonly latencySumMs: number;
}

/** How a session came to its end. */
export type Ending = "exit" | "error" | "expired" | "dropped" | "full";

export interface SessionReport extends SessionCounts {
  readonly lastScreen: string;
  readonly ending: Ending;
}

export function noCounts(language: Language): SessionCounts {
  return {
    language,
    screens: {},
    steps: 0,
    resyncs: 0,
    overflows: 0,
    milestones: {},
    latencies: {},
    latencySumMs: 0,
  };
}

export interface CountedStep {
  readonly language: Language;
  readonly screen: string;
  /** The screen on which an input was refused. */
  readonly refusedOn?: string | undefined;
  readonly resync: boolean;
  readonly overflow: boolean;
  readonly milestone?: Milestone | undefined;
  readonly milliseconds: number;
}

export function counted(counts: SessionCounts, step: CountedStep): SessionCounts {
  const { screen, refusedOn, milestone, milliseconds } = step;
  const bound = String(LATENCY_BOUNDS.find((limit) => milliseconds <= limit) ?? "inf");
  const screens = added(counts.screens, screen, { shown: 1, refused: 0 });
  return {
    language: step.language,
    screens: refusedOn === undefined ? screens : added(screens, refusedOn, { shown: 0, refused: 1 }),
    steps: counts.steps + 1,
    resyncs: counts.resyncs + (step.resync ? 1 : 0),
    overflows: counts.overflows + (step.overflow ? 1 : 0),
    milestones:
      milestone === undefined
        ? counts.milestones
        : { ...counts.milestones, [milestone]: (counts.milestones[milestone] ?? 0) + 1 },
    latencies: { ...counts.latencies, [bound]: (counts.latencies[bound] ?? 0) + 1 },
    latencySumMs: counts.latencySumMs + milliseconds,
  };
}

function added(
  screens: Readonly<Record<string, ScreenCounts>>,
  screen: string,
  more: ScreenCounts,
): Readonly<Record<string, ScreenCounts>> {
  const { shown, refused } = screens[screen] ?? { shown: 0, refused: 0 };
  return { ...screens, [screen]: { shown: shown + more.shown, refused: refused + more.refused } };
}

/** What has come about when this screen follows on that one. */
export function milestoneOf(before: string, screen: string): Milestone | undefined {
  if (screen === "OK") return "login";
  if (screen === "K") return "account_created";
  if (screen === "OA" && before !== "OA") return "question_answered";
  if (before === "W" && (screen === "E" || screen === "P")) return "resumed";
  return undefined;
}
