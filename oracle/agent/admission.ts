/**
 * A request before it is accepted: what plugins are given of it, and whether each of them admits it. A gate cannot be
 * passed by asking at a bad moment: while the settings cannot be loaded, nothing is accepted.
 */
import { WEB_CLIENT } from "../../protocol/requests.ts";
import * as z from "zod";
import { fail, type Failure, type FailureCode } from "../../platform/failure.ts";
import { isFailureCode } from "../../platform/http/error-bodies.ts";
import { describeThrown, type Logger } from "../../platform/log.ts";
import { failure, type Result, success } from "../../platform/result.ts";
import { withoutSecrets } from "../../platform/secret-values.ts";
import type { ModelFacts, RequestContext, ResolvedIdentity } from "../framework/context.ts";
import type { ModelProvider } from "../models/model-port.ts";
import type { AttachmentRequest } from "../framework/attachments.ts";
import type { PluginDefinition } from "../framework/plugin.ts";
import type { Attachment, RunRequest } from "../run-request.ts";
import type { After } from "../runs/frames.ts";
import { attachmentId } from "../runs/transcript.ts";
import type { RunReports } from "../runs/run-reports.ts";
import type { LoadedPlugin, OracleProfile, OracleSettings } from "../settings.ts";
import { createAuthority } from "./authority.ts";
import type { Delegation } from "../framework/delegation.ts";

export interface AdmissionFacts extends RequestFacts {
  readonly after: After;
  readonly reports: Pick<RunReports, "asks" | "admitted" | "declined">;
}

export interface RequestFacts {
  readonly env: Env;
  readonly owner: string;
  readonly sessionId: string;
  /** Of the turn that the request asks for. */
  readonly runId: string;
  /** Its number in the session. Of a request that is not accepted yet, the one that it gets if none comes before it. */
  readonly turn: number;
  readonly readDelegation: () => Promise<Delegation | null>;
  /** Whether the user has revoked that token of theirs. */
  readonly isRevoked: (token: string) => Promise<boolean>;
  /** The user's Matrix token: in memory only. */
  readonly matrixAccessToken?: string | undefined;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
}

/** How long one plugin may take to say whether it admits a message, milliseconds: its sender waits for the answer. */
export const ADMISSION_TIME_LIMIT_MS = 10_000;

/** A context without what each plugin gets of its own. */
export type SharedPart<Context> = Omit<
  Context,
  "config" | "state" | "kv" | "blobs" | "texts" | "remembered" | "oracleKv" | "sealing" | "background" | "onTurnEnd"
>;

export function requestContext(
  settings: OracleSettings,
  request: RunRequest,
  facts: RequestFacts,
): SharedPart<RequestContext> {
  const { matrixAccessToken, turn } = facts;
  const { timezone, answerStyle, message, tools, agActions, metadata, mcpInvocations, homeServer } = request;
  const { models } = settings;
  return {
    env: facts.env,
    identity: identityOf(settings.profile),
    availablePlugins: new Set(settings.plugins.map(({ plugin }) => plugin.name)),
    user: {
      did: facts.owner,
      isPersonal: request.isShared !== true,
      payer: request.payer ?? facts.owner,
      currentTime: new Date(facts.now()).toISOString(),
      ...(timezone === undefined ? {} : { timezone }),
    },
    session: {
      id: facts.sessionId,
      client: request.client,
      capabilities: request.capabilities ?? WEB_CLIENT,
      requestId: request.requestId,
      runId: facts.runId,
    },
    request: {
      message,
      attachments: attachmentsOf(turn, request.attachments),
      tools,
      agActions,
      metadata,
      mcpInvocations,
      ...(answerStyle === undefined ? {} : { answerStyle }),
      ...(homeServer === undefined ? {} : { homeServer }),
      ...(matrixAccessToken === undefined ? {} : { matrixAccessToken }),
    },
    model: modelFacts(models, request.model),
    modelOf: (id) => modelFacts(models, id),
    // Nobody sees a prompt before there is a turn.
    ucan: createAuthority({
      active: { notice: () => undefined, requireDelegation: () => undefined },
      given: request.delegation,
      readStored: facts.readDelegation,
      isRevoked: facts.isRevoked,
      mayPrompt: async () => false,
      mint: settings.mint,
      verify: settings.verify,
      now: () => Math.floor(facts.now() / 1000),
    }),
    logger: facts.log,
  };
}

export function identityOf({ name, org, description, did, entityDid }: OracleProfile): ResolvedIdentity {
  return {
    name,
    did,
    entityDid,
    ...(org === undefined ? {} : { org }),
    ...(description === undefined ? {} : { description }),
  };
}

/** An id is unique in its session, and stays with its file in later turns. */
export function attachmentsOf(turn: number, attachments: readonly Attachment[]): readonly AttachmentRequest[] {
  return attachments.map((attachment, index) => ({ ...attachment, id: attachmentId(turn, index) }));
}

/** Of a model that an author brings: nothing is known of it. */
const withoutRow: Omit<ModelFacts, "contextTokens"> = {
  id: "unlisted",
  vision: false,
  pricing: { inputPerMillion: 0, outputPerMillion: 0, currency: "USD", unit: "per_million_tokens" },
};

export function modelFacts(models: ModelProvider, wanted: string | undefined): ModelFacts {
  const row = models.rows.find(({ id }) => id === wanted) ?? models.rows.find(({ id }) => id === models.defaultModelId);
  const { id, vision, pricing } = row ?? withoutRow;
  return { id, vision, pricing, contextTokens: models.contextTokens(id) };
}

/** The settings, if this object has loaded them; else how they are loaded. */
export interface SettingsSource {
  readonly loaded: OracleSettings | undefined;
  readonly load: () => Promise<OracleSettings>;
}

/**
 * Whether every plugin admits the run; the first refusal counts. One that throws fails the request, one that takes too long
 * refuses it. Undefined when no plugin has to be asked.
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

/** What a gate answered. Throws for anything else: what nobody can read admits nobody. */
function readAdmission(answer: unknown, env: Env): { readonly refusal?: Failure } {
  const read = admissionSchema.safeParse(answer);
  if (!read.success)
    throw new TypeError("getRequestAdmission returned neither admit() nor refuse(code, message) with a known code");
  return read.data.ok ? {} : { refusal: plainRefusal(read.data.error, env) };
}

/** As it is sent: plain data without secrets. */
function plainRefusal(refusal: z.output<typeof refusalSchema>, env: Env): Failure {
  return withoutSecrets(env, JSON.parse(JSON.stringify(refusal)) as Failure);
}

/** Whether the plugin's `afterTurn` is called for a turn of that client. */
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

/** The plugins that are to be notified of a turn of that client. */
export function reportersOf({ plugins }: Pick<OracleSettings, "plugins">, client: string): readonly string[] {
  return plugins.filter(({ plugin }) => isNotified(plugin, client)).map(({ plugin }) => plugin.name);
}
