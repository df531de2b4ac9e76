/** The plugins' parts of `GET /health`, asked concurrently. A plugin that fails or hangs reports that in its own part only. */
import type { ErrorSource } from "../framework/app-options.ts";
import { isPlainJson, isJsonObject, type JsonObject } from "../../platform/json.ts";
import { describeThrown, type Logger } from "../../platform/log.ts";
import { withoutSecrets } from "../../platform/secret-values.ts";
import type { PluginEdge } from "./boot-options.ts";
import { TimeUp, withinTime } from "./time-limit.ts";

/** Time limit, milliseconds: a health check must answer quickly. */
export const HEALTH_TIME_LIMIT_MS = 1_000;

export interface HealthParts {
  readonly env: Env;
  readonly logger: Logger;
  readonly onError: (error: unknown, source: ErrorSource) => void;
  /** Defaults to HEALTH_TIME_LIMIT_MS. */
  readonly timeLimitMs?: number;
}

/** Keyed by plugin name; undefined when no plugin reports anything. */
export async function pluginHealth(
  edges: readonly Pick<PluginEdge, "plugin" | "context">[],
  { env, logger, onError, timeLimitMs = HEALTH_TIME_LIMIT_MS }: HealthParts,
): Promise<JsonObject | undefined> {
  const asked = edges.filter(({ plugin }) => plugin.getHealth !== undefined);
  if (asked.length === 0) return undefined;
  const answers = await Promise.all(
    asked.map(async ({ plugin, context }): Promise<readonly [string, JsonObject]> => {
      try {
        const answer: unknown = await withinTime(timeLimitMs, async () => plugin.getHealth?.(context));
        if (!isJsonObject(answer) || !isPlainJson(answer)) throw new TypeError("getHealth returned no JSON object");
        return [plugin.name, withoutSecrets(env, JSON.parse(JSON.stringify(answer)) as JsonObject)];
      } catch (thrown) {
        if (thrown instanceof TimeUp) return [plugin.name, { state: "no answer" }];
        logger.error("plugin-health-failed", { plugin: plugin.name, reason: describeThrown(thrown) });
        onError(thrown, `plugin:${plugin.name}`);
        return [plugin.name, { state: "failed" }];
      }
    }),
  );
  return Object.fromEntries(answers);
}
