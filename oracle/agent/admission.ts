/**
 * Asks each plugin whether it admits a request, before the request is accepted. Gates fail closed: while the settings cannot be
 * loaded, nothing is accepted.
 */
import * as z from "zod";
import { fail, type Failure, type FailureCode } from "../../platform/failure.ts";
import { isFailureCode } from "../../platform/http/error-bodies.ts";
import { describeThrown } from "../../platform/log.ts";
import { failure, type Result, success } from "../../platform/result.ts";
import { withoutSecrets } from "../../platform/secret-values.ts";
import type { RequestContext } from "../framework/context.ts";
import type { PluginDefinition } from "../framework/plugin.ts";
import type { RunRequest } from "../run-request.ts";
import type { After } from "../runs/frames.ts";
import type { RunReports } from "../runs/run-reports.ts";
import type { LoadedPlugin, OracleSettings } from "../settings.ts";
import { requestContext, type RequestFacts, type SharedPart } from "./request-context.ts";

export interface AdmissionFacts extends RequestFacts {
  readonly after: After;
  readonly reports: Pick<RunReports, "asks" | "admitted" | "declined">;
}

/** Time limit of one plugin's gate, milliseconds: the sender of the message waits for it. */
export const ADMISSION_TIME_LIMIT_MS = 10_000;

/** The settings, or a way to load them if this object has not done so yet. */
export interface SettingsSource {
  readonly loaded: OracleSettings | undefined;
  readonly load: () => Promise<OracleSettings>;
}

/**
 * Asks every plugin; the first refusal counts. A gate that throws fails the request; a gate that takes too long refuses it.
 * Undefined when no plugin has a gate.
 */
export function admitRun(
  { loaded, load }: SettingsSource,
  request: RunRequest,
  facts: AdmissionFacts,
): Promise<Result<null>> | undefined {
  const ask = (settings: OracleSettings): Promise<Result<null>> | undefined => {
    const gates = settings.plugins.filter(({ plugin }) => plugin.getRequestAdmission !== undefined);
    return gates.length === 0
      ? undefined
      : askGates(gates, requestContext(settings, request, facts), facts, settings.oracleParts);
  };
  if (loaded !== undefined) return ask(loaded);
  return load().then(
    async (settings) => (await ask(settings)) ?? success(null),
    (thrown: unknown) => {
      facts.log.error("settings-unavailable", { reason: describeThrown(thrown) });
      return fail("unavailable", "This oracle cannot take messages right now. Please try again later.");
    },
  );
}

const refusalSchema = z.object({
  code: z.custom<FailureCode>(isFailureCode),
  message: z.string().min(1),
  reason: z.string().optional(),
  retryable: z.boolean().optional(),
  retryAfter: z.number().nonnegative().optional(),
  details: z.array(z.object({ reason: z.string(), message: z.string() })).optional(),
  members: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])).optional(),
});
const admissionSchema = z.union([
  z.object({ ok: z.literal(true) }),
  z.object({ ok: z.literal(false), error: refusalSchema }),
]);

/** Parses a gate's answer. Throws if it is neither an admission nor a refusal. */
function readAdmission(answer: unknown, env: Env): { readonly refusal?: Failure } {
  const read = admissionSchema.safeParse(answer);
  if (!read.success)
    throw new TypeError("getRequestAdmission returned neither admit() nor refuse(code, message) with a known code");
  return read.data.ok ? {} : { refusal: plainRefusal(read.data.error, env) };
}

/** The refusal as plain data without secrets, ready to be sent. */
function plainRefusal(refusal: z.output<typeof refusalSchema>, env: Env): Failure {
  return withoutSecrets(env, JSON.parse(JSON.stringify(refusal)) as Failure);
}

/** Whether the plugin's `afterTurn` is called for a run of this client. */
function isNotified({ afterTurn, afterTurnClients }: PluginDefinition, client: string): boolean {
  return afterTurn !== undefined && (afterTurnClients?.includes(client) ?? true);
}

async function askGates(
  gates: readonly LoadedPlugin[],
  shared: SharedPart<RequestContext>,
  { after, log, owner, reports, now }: AdmissionFacts,
  oracleParts: OracleSettings["oracleParts"],
): Promise<Result<null>> {
  const { runId, id: sessionId, client } = shared.session;
  for (const { plugin, config } of gates) {
    const isReported = isNotified(plugin, client);
    if (isReported) {
      const endedAt = new Date(now()).toISOString();
      const { payer } = shared.user;
      const refused = {
        status: "refused",
        endedAt,
        usage: [],
        answer: "",
        metadata: shared.request.metadata,
        ...(payer === owner ? {} : { payer }),
      } as const;
      reports.asks(owner, { runId, sessionId, client, ...refused }, plugin.name);
    }
    const late = Promise.withResolvers<Result<null>>();
    let isLate = false;
    const cancel = after(ADMISSION_TIME_LIMIT_MS, () => {
      log.error("admission-timed-out", { plugin: plugin.name });
      isLate = true;
      late.resolve(fail("unavailable", "This oracle cannot take messages right now. Please try again later."));
    });
    try {
      const asked = plugin.getRequestAdmission?.({
        ...shared,
        ...oracleParts(plugin.name),
        config,
      });
      const { refusal } = readAdmission(await Promise.race([asked, late.promise]), shared.env);
      if (isReported && !isLate) {
        if (refusal === undefined) reports.admitted(runId, plugin.name);
        else reports.declined(runId, plugin.name);
      }
      if (refusal !== undefined) return failure(refusal);
    } catch (thrown) {
      log.error("admission-failed", { plugin: plugin.name, reason: describeThrown(thrown) });
      throw thrown;
    } finally {
      cancel();
    }
  }
  return success(null);
}

/** The plugins that are notified of this client's runs. */
export function reportersOf({ plugins }: Pick<OracleSettings, "plugins">, client: string): readonly string[] {
  return plugins.filter(({ plugin }) => isNotified(plugin, client)).map(({ plugin }) => plugin.name);
}
