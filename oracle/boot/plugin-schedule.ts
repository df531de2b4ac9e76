/** Runs the plugins' schedules once, concurrently. A schedule that fails or takes too long is logged and delays no other. */
import type { ErrorSource } from "../framework/app-options.ts";
import type { ScheduleContext } from "../framework/context.ts";
import { describeThrown, type Logger } from "../../platform/log.ts";
import type { PluginEdge } from "./boot-options.ts";
import { withinTime } from "./time-limit.ts";

/** Time limit, milliseconds: half the time until the next run. */
export const SCHEDULE_TIME_LIMIT_MS = 30_000;

export interface ScheduleParts {
  readonly contextOf: (edge: PluginEdge) => ScheduleContext;
  readonly logger: Logger;
  readonly onError: (error: unknown, source: ErrorSource) => void;
  /** Defaults to SCHEDULE_TIME_LIMIT_MS. */
  readonly timeLimitMs?: number;
}

export function hasSchedule({ plugin }: Pick<PluginEdge, "plugin">): boolean {
  return plugin.onSchedule !== undefined;
}

export async function runSchedules(
  edges: readonly PluginEdge[],
  { contextOf, logger, onError, timeLimitMs = SCHEDULE_TIME_LIMIT_MS }: ScheduleParts,
): Promise<void> {
  await Promise.all(
    edges.filter(hasSchedule).map(async (edge) => {
      const { plugin } = edge;
      try {
        await withinTime(timeLimitMs, async () => plugin.onSchedule?.(contextOf(edge)));
      } catch (thrown) {
        logger.error("plugin-schedule-failed", { plugin: plugin.name, reason: describeThrown(thrown) });
        onError(thrown, `plugin:${plugin.name}`);
      }
    }),
  );
}
