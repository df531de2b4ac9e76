/** What plugins are given of a run. */
import { roomEventNames, type ServerPayload } from "../../protocol/socket-events.ts";
import { describeThrown, type Logger } from "../../platform/log.ts";
import { isJsonObject } from "../../platform/json.ts";
import { withoutSecrets } from "../../platform/secret-values.ts";
import type { PublishToRoom } from "../../protocol/socket-events.ts";
import type { History, RuntimeContext, UserStorage } from "../framework/context.ts";
import { modelFacts, type RequestFacts, type SharedPart, requestContext } from "./admission.ts";
import { createAuthority } from "./authority.ts";
import type { RunRequest } from "../run-request.ts";
import type { ActiveRun } from "../runs/active-run.ts";
import type { Past } from "../runs/transcript.ts";
import type { OracleSettings } from "../settings.ts";
import type { ClientCalls } from "../runs/client-calls.ts";
import type { KeptReads } from "./kept-reads.ts";
import type { OwnPart } from "./contributions.ts";
import { createAskUser } from "./user-questions.ts";
import type { Approvals } from "../runs/approvals.ts";
import type { Questions } from "../runs/questions.ts";
import { createClientRequests } from "./client-requests.ts";
import { promptSize } from "./model-request.ts";

/** What the context of a run is made of. */
export interface ContextFacts extends Omit<RequestFacts, "runId" | "turn"> {
  readonly publish: PublishToRoom;
  /** Whether the prompt to re-authorise may be shown now. */
  readonly mayPrompt: () => Promise<boolean>;
  /** Where calls of the client's tools go. */
  readonly clientCalls: Pick<ClientCalls, "make">;
  readonly questions: Pick<Questions, "ask" | "newId">;
  readonly approvals: Pick<Approvals, "isSuperseded">;
  /** What the session has loaded; grows when the model loads more. */
  readonly loadedPlugins: ReadonlySet<string>;
  /** The turns before this one, as far as the model is given them; read when it is first asked for. */
  readonly past: () => Past;
  readonly holdsForeignText: () => boolean;
  /** Counts input of a model that a plugin asks by itself; whether turn and day had it left. */
  readonly spendInput: (model: string, tokens: number) => Promise<boolean>;
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
): SharedPart<RuntimeContext> {
  const { run } = active;
  const { env, owner, sessionId, readDelegation, matrixAccessToken, now, log, publish, clientCalls } = facts;
  const client = createClientRequests({ env, active, request, sessionId, clientCalls });
  const { runId, ordinal: turn } = run;

  return {
    ...requestContext(settings, request, {
      env,
      owner,
      sessionId,
      runId,
      turn,
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
    history: historyOf(facts.past),
    loadedPlugins: facts.loadedPlugins,
    abortSignal: active.signal,
    holdsForeignText: facts.holdsForeignText,
    estimateTokens: (asked) => promptSize(asked).tokens,
    async spendTokens(tokens) {
      if (!Number.isSafeInteger(tokens) || tokens < 0)
        throw new TypeError("spendTokens takes a whole number of tokens");
      return facts.spendInput(modelFacts(settings.models, request.model).id, tokens);
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
    askUser(name, args, options) {
      const { approvals, questions } = facts;
      return createAskUser({ env, active, request, sessionId, approvals, questions })(name, args, options);
    },
  };
}

/** What a plugin has of its own: its storage, and work that outlives the turn. */
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
