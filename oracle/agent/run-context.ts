/** The context that plugins get for a run, its members that differ per plugin, and the values that plugins keep from run to run. */
import { roomEventNames, type ServerPayload, type PublishToRoom } from "../../protocol/socket-events.ts";
import { describeThrown, type Logger } from "../../platform/log.ts";
import { isJsonObject } from "../../platform/json.ts";
import { withoutSecrets } from "../../platform/secret-values.ts";
import type { History, RuntimeContext, UserStorage } from "../framework/context.ts";
import { createAuthority, modelFacts, requestContext, type RequestFacts, type SharedPart } from "./request-context.ts";
import type { RunRequest } from "../run-request.ts";
import type { ActiveRun } from "../runs/active-run.ts";
import type { Past } from "../runs/transcript.ts";
import type { OracleSettings } from "../settings.ts";
import type { ClientCalls } from "../runs/client-calls.ts";
import type { OwnPart } from "./contributions.ts";
import { createAskUser, createClientRequests } from "./client-requests.ts";
import type { Approvals } from "../runs/approvals.ts";
import type { Questions } from "../runs/questions.ts";
import { promptSize } from "./run-limits.ts";

/** The facts from which a run's context is built. */
export interface ContextFacts extends Omit<RequestFacts, "runId" | "ordinal"> {
  readonly publish: PublishToRoom;
  /** Whether the prompt to re-authorise may be shown now. */
  readonly mayPrompt: () => Promise<boolean>;
  /** Sends calls of the client's tools. */
  readonly clientCalls: Pick<ClientCalls, "make">;
  readonly questions: Pick<Questions, "ask" | "newId">;
  readonly approvals: Pick<Approvals, "isSuperseded">;
}

/** Counts the input of a model that a plugin calls itself; returns whether run and day had enough left. */
export type SpendInput = (model: string, tokens: number) => Promise<boolean>;

/** The data from earlier runs of the session. */
export interface PastFacts {
  /** The plugins that the session has loaded; grows when the model loads more. */
  readonly loadedPlugins: ReadonlySet<string>;
  /** The earlier runs that the model gets; read on first use. */
  readonly past: () => Past;
  readonly holdsForeignText: () => boolean;
}

/** The facts from which the members that differ per plugin are built. */
export interface OwnFacts {
  /** A plugin's storage for the session's owner. */
  readonly storageOf: (plugin: string) => UserStorage;
  readonly keptReads: KeptReads;
  /** Undefined: nothing is cached. */
  readonly revision?: string | undefined;
  readonly background: (work: Promise<unknown>) => void;
  readonly log: Logger;
}

/** The context of a run, without the members that differ per plugin. */
export function createRunContext(
  active: ActiveRun,
  request: RunRequest,
  settings: OracleSettings,
  facts: ContextFacts,
  { loadedPlugins, past, holdsForeignText }: PastFacts,
  spendInput: SpendInput,
): SharedPart<RuntimeContext> {
  const { run } = active;
  const { env, owner, sessionId, readDelegation, matrixAccessToken, now, log, publish, clientCalls } = facts;
  const client = createClientRequests({ env, active, request, sessionId, clientCalls });
  const { runId, ordinal } = run;

  return {
    ...requestContext(settings, request, {
      env,
      owner,
      sessionId,
      runId,
      ordinal,
      readDelegation,
      isRevoked: facts.isRevoked,
      matrixAccessToken,
      now,
      log,
    }),
    ucan: createAuthority({
      active,
      given: request.delegation,
      readStored: facts.readDelegation,
      isRevoked: facts.isRevoked,
      mayPrompt: facts.mayPrompt,
      mint: settings.mint,
      verify: settings.verify,
      now: () => Math.floor(facts.now() / 1000),
    }),
    history: historyOf(past),
    loadedPlugins,
    abortSignal: active.signal,
    holdsForeignText,
    estimateTokens: (asked) => promptSize(asked).tokens,
    async spendTokens(tokens) {
      if (!Number.isSafeInteger(tokens) || tokens < 0)
        throw new TypeError("spendTokens takes a whole number of tokens");
      return spendInput(modelFacts(settings.models, request.model).id, tokens);
    },
    notice(message, detail) {
      const said = withoutSecrets(env, { message, detail });
      active.noticeOnce({ ...said, kind: "unknown", source: "platform", retryable: false });
    },
    emit(name, payload) {
      if (!roomEventNames.includes(name)) throw new TypeError(`emit takes one of ${roomEventNames.join(", ")}`);
      publish(name, { ...withoutSecrets(env, payload), sessionId, requestId: run.requestId } as ServerPayload<
        typeof name
      >);
    },
    callBrowserTool: client.callBrowserTool,
    callAction: client.callAction,
    askUser: createAskUser({ env, active, request, sessionId, approvals: facts.approvals, questions: facts.questions }),
  };
}

/** The members that differ per plugin: its storage, and work that outlives the run. */
export function ownParts(
  { signal }: Pick<ActiveRun, "signal">,
  { storageOf, keptReads, revision, background, log }: OwnFacts,
  { onError, oracleParts }: Pick<OracleSettings, "onError" | "oracleParts">,
): (plugin: string) => OwnPart {
  return (plugin) => {
    async function guarded(work: () => Promise<unknown> | void): Promise<void> {
      try {
        await work();
      } catch (thrown) {
        log.error("plugin-run-end-failed", { plugin, reason: describeThrown(thrown) });
        onError?.(thrown, `plugin:${plugin}`);
      }
    }
    return {
      ...storageOf(plugin),
      ...oracleParts(plugin),
      remembered: (key, read) => keptReads.get(revision, `${plugin} ${key}`, read),
      background: (work) => background(guarded(() => work)),
      onTurnEnd(work) {
        const atEnd = (): void => background(guarded(work));
        if (signal.aborted) atEnd();
        else signal.addEventListener("abort", atEnd, { once: true });
      },
    };
  };
}

/** A copy: the session keeps its records from run to run, and a plugin may change the ones that it gets. */
function historyOf(past: () => Past): History {
  let copy: History["messages"] | undefined;
  const messages = (): History["messages"] => (copy ??= structuredClone(past().records));
  return {
    get messages() {
      return messages();
    },
    recent: (count) => messages().slice(-count),
    get hasAttachments() {
      return past().records.some(({ attachments = [] }) => attachments.length > 0);
    },
  };
}

/** Text that the user did not write: attachments, other people's messages, and text selected on the user's page. */
export function bringsForeignText({ attachments, isShared, isForeign, metadata: { page } }: RunRequest): boolean {
  const selection = isJsonObject(page) ? page["selection"] : undefined;
  const isByOthers = isShared === true || isForeign === true;
  return attachments.length > 0 || isByOthers || (typeof selection === "string" && selection.trim() !== "");
}

/**
 * Whether one of these records has an attachment, or the result of a tool that returns foreign text. A sub-agent's call counts for
 * the calls that the sub-agent made.
 */
export function haveForeignText(records: Past["records"], isForeign: (toolName: string) => boolean): boolean {
  return records.some(
    ({ attachments = [], toolCalls = [] }) =>
      attachments.length > 0 || toolCalls.some(({ name, agent }) => agent === undefined && isForeign(name)),
  );
}

/** How long a cached read is valid, milliseconds. */
export const KEPT_READ_MS = 60_000;
/** How many reads a session caches; one more empties the cache. */
export const KEPT_READS = 32;

export interface KeptReads {
  /** Resolves to the result of `read`, cached at this revision. Rejections are not cached. */
  get<Value>(revision: string | undefined, key: string, read: () => Promise<Value>): Promise<Value>;
}

interface KeptRead {
  readonly revision: string;
  readonly until: number;
  readonly value: unknown;
}

/**
 * Caches plugins' reads of the user's values in the memory of the session's object. A read is valid while the user's object has the
 * same revision, which every plugin write for that user changes, in any session. Without a revision, as in a recovered run, every
 * read goes to storage. `now`: Unix milliseconds.
 */
export function createKeptReads(now: () => number): KeptReads {
  const kept = new Map<string, KeptRead>();
  return {
    async get<Value>(revision: string | undefined, key: string, read: () => Promise<Value>): Promise<Value> {
      if (revision === undefined) return read();
      const known = kept.get(key);
      if (known !== undefined && known.revision === revision && now() < known.until) return known.value as Value;
      const until = now() + KEPT_READ_MS;
      const value = await read();
      if (kept.size >= KEPT_READS && !kept.has(key)) kept.clear();
      kept.set(key, { revision, until, value });
      return value;
    },
  };
}
