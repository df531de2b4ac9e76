/**
 * The context that plugins get for a request, before its run and during it, and the user's delegation as far as the request may use
 * it: the one that it carried, or else the stored one.
 */
import type { RunAuthority, ModelFacts, RequestContext, ResolvedIdentity } from "../framework/context.ts";
import { fail } from "../../platform/failure.ts";
import { type Result, success } from "../../platform/result.ts";
import type { Delegation } from "../framework/delegation.ts";
import type { ActiveRun } from "../runs/active-run.ts";
import type { Capability, Mint, VerifyInvocation, OracleProfile, OracleSettings } from "../settings.ts";
import { WEB_CLIENT } from "../../protocol/requests.ts";
import type { Logger } from "../../platform/log.ts";
import type { ModelProvider } from "../models/model-port.ts";
import type { AttachmentRequest } from "../framework/attachments.ts";
import type { Attachment, RunRequest } from "../run-request.ts";
import { attachmentId } from "../runs/transcript.ts";

export interface RequestFacts {
  readonly env: Env;
  readonly owner: string;
  readonly sessionId: string;
  /** The id of the requested run. */
  readonly runId: string;
  /** Its number in the session. Before the request is accepted, the number that it will get if no other request comes first. */
  readonly ordinal: number;
  readonly readDelegation: () => Promise<Delegation | null>;
  /** Whether the user has revoked this token. */
  readonly isRevoked: (token: string) => Promise<boolean>;
  /** The user's Matrix token, kept in memory only. */
  readonly matrixAccessToken?: string | undefined;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
}

/** A context without the members that differ per plugin. */
export type SharedPart<Context> = Omit<
  Context,
  "config" | "state" | "kv" | "blobs" | "texts" | "remembered" | "oracleKv" | "sealing" | "background" | "onTurnEnd"
>;

export function requestContext(
  settings: OracleSettings,
  request: RunRequest,
  facts: RequestFacts,
): SharedPart<RequestContext> {
  const { matrixAccessToken, ordinal } = facts;
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
      attachments: attachmentsOf(ordinal, request.attachments),
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
    // No prompt is shown before there is a run.
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

/** An id is unique in its session, and keeps naming its file in later runs. */
export function attachmentsOf(ordinal: number, attachments: readonly Attachment[]): readonly AttachmentRequest[] {
  return attachments.map((attachment, index) => ({ ...attachment, id: attachmentId(ordinal, index) }));
}

/** An author's own model, about which nothing is known. */
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

export interface AuthorityOptions {
  readonly active: Pick<ActiveRun, "notice" | "requireDelegation">;
  /** The delegation of the request's own header. */
  readonly given: Delegation | undefined;
  readonly readStored: () => Promise<Delegation | null>;
  /** Whether the user has revoked this token, as base64, since the request. A revoked stored token is erased. */
  readonly isRevoked: (token: string) => Promise<boolean>;
  /** Whether the prompt may be shown now. */
  readonly mayPrompt: () => Promise<boolean>;
  readonly mint: Mint;
  readonly verify: VerifyInvocation;
  /** Unix seconds. */
  readonly now: () => number;
}

export function createAuthority(options: AuthorityOptions): RunAuthority {
  const { active, given, readStored, isRevoked, mayPrompt, mint, verify, now } = options;
  let prompted = false;
  const valid = (delegation: Delegation | null | undefined): delegation is Delegation =>
    delegation !== null &&
    delegation !== undefined &&
    (delegation.expiration === null || delegation.expiration > now());

  async function find(wanted: Capability): Promise<Delegation | undefined> {
    if (valid(given) && covers(given, wanted) && !(await isRevoked(given.token))) return given;
    const stored = await readStored();
    return valid(stored) && covers(stored, wanted) ? stored : undefined;
  }

  async function require(wanted: Capability): Promise<Result<Delegation>> {
    const delegation = await find(wanted);
    if (delegation !== undefined) return success(delegation);
    active.requireDelegation();
    if (!prompted) {
      prompted = true;
      if (await mayPrompt()) active.notice(reauthorise);
    }
    return fail("forbidden", `The user has not permitted ${wanted.can} on ${wanted.with}`);
  }

  return {
    verifyInvocation: verify,
    async delegation() {
      if (valid(given) && !(await isRevoked(given.token))) return given;
      const stored = await readStored();
      return valid(stored) ? stored : undefined;
    },
    hasCapability: async (can, resource) => (await find({ can, with: resource })) !== undefined,
    async requireCapability(can, resource) {
      const found = await require({ can, with: resource });
      return found.ok ? success(null) : found;
    },
    async mintInvocation(origin, capability) {
      const found = await require(capability);
      return found.ok ? mint(origin, capability, found.value) : found;
    },
  };
}

function covers({ capabilities }: Delegation, wanted: Capability): boolean {
  return capabilities.some(({ can, with: resource }) => {
    const ability =
      can === "*" || can === wanted.can || (can.endsWith("/*") && wanted.can.startsWith(can.slice(0, -1)));
    const within = resource.endsWith("*") ? wanted.with.startsWith(resource.slice(0, -1)) : resource === wanted.with;
    return ability && within;
  });
}

const reauthorise = {
  message: "Please re-authorise this oracle to continue using connected services.",
  kind: "auth",
  source: "platform",
  retryable: true,
  detail: "delegation_required",
} as const;
