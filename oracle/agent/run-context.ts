/** What plugins are given of a run: its context, what each has of its own in it, and what they remember from run to run. */
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

/** What the context of a run is made of. */
export interface ContextFacts extends Omit<RequestFacts, "runId" | "ordinal"> {
  readonly publish: PublishToRoom;
  /** Whether the prompt to re-authorise may be shown now. */
  readonly mayPrompt: () => Promise<boolean>;
  /** Where calls of the client's tools go. */
  readonly clientCalls: Pick<ClientCalls, "make">;
  readonly questions: Pick<Questions, "ask" | "newId">;
  readonly approvals: Pick<Approvals, "isSuperseded">;
}

/** Counts input of a model that a plugin asks by itself; whether run and day had it left. */
export type SpendInput = (model: string, tokens: number) => Promise<boolean>;

/** What comes from earlier runs of the session. */
export interface PastFacts {
  /** What the session has loaded; grows when the model loads more. */
  readonly loadedPlugins: ReadonlySet<string>;
  /** The runs before this one, as far as the model is given them; read when it is first asked for. */
  readonly past: () => Past;
  readonly holdsForeignText: () => boolean;
}

/** What the parts that each plugin has of its own are made of. */
export interface OwnFacts {
  /** What a plugin keeps for the session's owner. */
  readonly storageOf: (plugin: string) => UserStorage;
  readonly keptReads: KeptReads;
  /** Undefined: whatever plugins keep is read. */
  readonly revision?: string | undefined;
  readonly background: (work: Promise<unknown>) => void;
  readonly log: Logger;
}

/** The context of a run, without what each plugin gets of its own. */
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

/** What a plugin has of its own: its storage, and work that outlives the run. */
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

/** A copy: the session remembers its records from run to run, and a plugin may change what it is given. */
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

/** Attachments, what other people say, and text that is selected in the user's page. */
export function bringsForeignText({ attachments, isShared, isForeign, metadata: { page } }: RunRequest): boolean {
  const selection = isJsonObject(page) ? page["selection"] : undefined;
  const isByOthers = isShared === true || isForeign === true;
  return attachments.length > 0 || isByOthers || (typeof selection === "string" && selection.trim() !== "");
}

/**
 * Whether one of these records has an attachment or the result of a tool that brings text from outside. The call of a sub-agent stands
 * for those that the sub-agent made.
 */
export function haveForeignText(records: Past["records"], isForeign: (toolName: string) => boolean): boolean {
  return records.some(
    ({ attachments = [], toolCalls = [] }) =>
      attachments.length > 0 || toolCalls.some(({ name, agent }) => agent === undefined && isForeign(name)),
  );
}

/** How long a read counts at most, milliseconds. */
export const KEPT_READ_MS = 60_000;
/** How many reads a session keeps; with one more it forgets them all. */
export const KEPT_READS = 32;

export interface KeptReads {
  /** What `read` comes to, or came to at this revision. What it rejects with is not kept. */
  get<Value>(revision: string | undefined, key: string, read: () => Promise<Value>): Promise<Value>;
}

interface KeptRead {
  readonly revision: string;
  readonly until: number;
  readonly value: unknown;
}

/**
 * What plugins have read of what they keep for the user, in the memory of the session's object. A read counts as long as the
 * user's object names the same revision: every write of a plugin for that user, in any session, makes another one. Without a
 * revision, as in a recovered run, everything is read. `now`: Unix milliseconds.
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
