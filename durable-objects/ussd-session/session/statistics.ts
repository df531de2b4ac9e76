/** Counts a step of a session. The counts are reported once, when the session is over. */
import type { Milestone, SessionCounts } from "../ports.ts";
import type { Language } from "../texts/dictionary.ts";

/** Upper bounds of the histogram of reply times, milliseconds. */
const LATENCY_BOUNDS = [25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const;

export interface CountedStep {
  readonly language: Language;
  readonly screen: string;
  /** The screen on which an input was rejected. */
  readonly refusedOn?: string | undefined;
  readonly resync: boolean;
  readonly overflow: boolean;
  readonly milestone?: Milestone | undefined;
  readonly milliseconds: number;
}

/** `counts`: null before the first step. */
export function counted(counts: SessionCounts | null, step: CountedStep): SessionCounts {
  const { language, screen, refusedOn, milestone, milliseconds } = step;
  const { screens = {}, milestones = {}, latencies = {} } = counts ?? {};
  const bound = String(LATENCY_BOUNDS.find((limit) => milliseconds <= limit) ?? "inf");
  const shown = added(screens, screen, { shown: 1, refused: 0 });
  return {
    language,
    screens: refusedOn === undefined ? shown : added(shown, refusedOn, { shown: 0, refused: 1 }),
    steps: (counts?.steps ?? 0) + 1,
    resyncs: (counts?.resyncs ?? 0) + (step.resync ? 1 : 0),
    overflows: (counts?.overflows ?? 0) + (step.overflow ? 1 : 0),
    milestones: milestone === undefined ? milestones : { ...milestones, [milestone]: (milestones[milestone] ?? 0) + 1 },
    latencies: { ...latencies, [bound]: (latencies[bound] ?? 0) + 1 },
    latencySumMs: (counts?.latencySumMs ?? 0) + milliseconds,
  };
}

type ScreenCounts = SessionCounts["screens"];

function added(screens: ScreenCounts, screen: string, more: ScreenCounts[string]): ScreenCounts {
  const { shown, refused } = screens[screen] ?? { shown: 0, refused: 0 };
  return { ...screens, [screen]: { shown: shown + more.shown, refused: refused + more.refused } };
}

/** What has been reached when this screen follows that one. */
export function milestoneOf(before: string, screen: string): Milestone | undefined {
  if (screen === "OK") return "login";
  if (screen === "K") return "account_created";
  if (screen === "OA" && before !== "OA") return "question_answered";
  if (before === "W" && (screen === "E" || screen === "P")) return "resumed";
  return undefined;
}
