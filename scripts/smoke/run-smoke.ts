/** One run of `npm run smoke`: all journeys at once, one line for each, and the exit code. */
import { JourneyFault, type Journey, type SmokeSettings } from "./journey.ts";

/** The exit codes that `--help` promises to scripts. */
export const exitCodes = { done: 0, failed: 1, usage: 2 } as const;

export interface JourneyReport {
  readonly name: string;
  readonly passed: boolean;
  readonly observation: string;
  /** The status of the answer that differed, if there was one. */
  readonly status?: number | undefined;
}

export async function runJourneys(
  journeys: readonly Journey[],
  settings: SmokeSettings,
): Promise<readonly JourneyReport[]> {
  return await Promise.all(
    journeys.map(async ({ name, run }): Promise<JourneyReport> => {
      try {
        return { name, passed: true, observation: await run(settings) };
      } catch (error) {
        if (error instanceof JourneyFault)
          return { name, passed: false, observation: error.message, status: error.status };
        throw error;
      }
    }),
  );
}

export function describeReports(reports: readonly JourneyReport[], milliseconds: number): string {
  const lines = reports.map(
    ({ name, passed, observation }) => `${passed ? "ok    " : "failed"}  ${name.padEnd(13)}  ${observation}`,
  );
  const failed = reports.filter(({ passed }) => !passed).map(({ name }) => name);
  const seconds = (milliseconds / 1000).toFixed(1);
  const end =
    failed.length === 0 ? `All surfaces work (${seconds} s).` : `Failed: ${failed.join(", ")} (${seconds} s).`;
  return [...lines, end].join("\n");
}
