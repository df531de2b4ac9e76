/** Counts an ended run for `GET /metrics`: by outcome, and by each model that it used. */
import { count, type MetricBindings } from "../../platform/metrics/counters.ts";
import type { CountedRun } from "./session-options.ts";

const MS_PER_SECOND = 1_000;

export function countRun(env: MetricBindings, { outcome, durationMs, models }: CountedRun): void {
  count(env, "oracle_runs_total", { outcome });
  count(env, "oracle_run_seconds_total", { outcome }, durationMs / MS_PER_SECOND);
  for (const { model, inputTokens, outputTokens } of models) {
    count(env, "oracle_model_runs_total", { model, outcome });
    count(env, "oracle_tokens_total", { model, kind: "input" }, inputTokens);
    count(env, "oracle_tokens_total", { model, kind: "output" }, outputTokens);
  }
}
