/**
 * What the plugins contribute to one run: their admission before it, their shared state, then their tools. Each gets its
 * own context, through which it also uses the user's delegation; a plugin that throws loses its own part, and the run
 * continues without it.
 */
import type { ServerPayload } from "../../../protocol/socket-events.ts";
import { type Logger, describeThrown } from "../../../workers/platform/log.ts";
import { type Result, success } from "../../../workers/platform/result.ts";
import type { PublishToRoom } from "../../../protocol/socket-events.ts";
import type { History, RunAuthority, RuntimeContext } from "../../../workers/oracle/framework/context.ts";
import type { SharedState } from "../../../workers/oracle/framework/plugin.ts";
import type { AgentTool, ClientSideTool, PluginTool } from "../../../workers/oracle/framework/tools.ts";
import { type RequestFacts, type SharedPart, requestContext } from "./admission.ts";
import type { Delegation, RunRequest } from "../run-request.ts";
import type { ActiveRun } from "../runs/active-run.ts";
import type { Past } from "../runs/transcript.ts";
import type { Capability, LoadedPlugin, Mint, OracleSettings } from "../settings.ts";
import type { ClientCalls } from "../sockets/client-calls.ts";
import { createClientRequests } from "./client-requests.ts";
import { fail } from "../../../workers/platform/failure.ts";

export interface RunFacts extends RequestFacts {
  readonly publish: PublishToRoom;
  readonly readDelegation: () => Promise<Delegation | null>;
  /** Whether the prompt to re-authorise may be shown now. */
  readonly mayPrompt: () => Promise<boolean>;
  readonly background: (work: Promise<unknown>) => void;
  /** Where calls of the client's tools go. */
  readonly clientCalls: Pick<ClientCalls, "make">;
  /** What a plugin keeps for the session's owner. */
  readonly storageOf: (plugin: string) => Pick<RuntimeContext, "kv" | "blobs">;
  /** The turns before this one, as far as the model is given them; read when it is first asked for. */
  readonly past: () => Past;
}

/** What the plugins add to the agent. */
export interface Contributions {
  readonly states: readonly SharedState[];
  readonly tools: readonly BoundTool[];
}

/** A plugin's tool with the context of its plugin. */
export interface OwnTool extends Omit<PluginTool, "handler"> {
  call(args: unknown, toolCallId: string): unknown;
}

export type BoundTool = OwnTool | ClientSideTool;

/** The context of a run, without what each plugin gets of its own. */
export function createRunContext(
  active: ActiveRun,
  request: RunRequest,
  settings: OracleSettings,
  facts: RunFacts,
): SharedPart<RuntimeContext> {
  const { run } = active;
  const { sessionId, publish, log } = facts;
  const client = createClientRequests({ active, request, ...facts });
  const shared = requestContext(settings, request, facts);

  async function guarded(work: () => Promise<unknown> | void): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      log.error("plugin-run-end-failed", { reason: describeThrown(thrown) });
    }
  }

  return {
    ...shared,
    session: { ...shared.session, runId: run.runId },
    ucan: createAuthority({
      active,
      given: request.delegation,
      readStored: facts.readDelegation,
      mayPrompt: facts.mayPrompt,
      mint: settings.mint,
      now: () => Math.floor(facts.now() / 1000),
    }),
    history: historyOf(facts.past),
    loadedPlugins: new Set(),
    abortSignal: active.signal,
    notice(message, detail) {
      // A recovered run has sent it before.
      if (run.attempt === 0) active.notice({ message, detail, kind: "unknown", source: "platform", retryable: false });
    },
    emit(name, payload) {
      publish(name, { ...payload, sessionId, requestId: run.requestId } as ServerPayload<typeof name>);
    },
    callBrowserTool: client.callBrowserTool,
    callAction: client.callAction,
    background(work) {
      facts.background(guarded(() => work));
    },
    onTurnEnd(work) {
      const atEnd = (): void => facts.background(guarded(work));
      active.signal.addEventListener("abort", atEnd, { once: true });
    },
  };
}

function historyOf(past: () => Past): History {
  return {
    get messages() {
      return past().records;
    },
    recent: (count) => past().records.slice(-count),
  };
}

/** States first, all at once; then tools, which may depend on them. */
export async function loadContributions(
  plugins: readonly LoadedPlugin[],
  shared: SharedPart<RuntimeContext>,
  { storageOf, log }: Pick<RunFacts, "storageOf" | "log">,
): Promise<Contributions> {
  const loaded = await Promise.all(
    plugins.map(async ({ plugin, config }) => {
      const context = { ...shared, config, state: {}, ...storageOf(plugin.name) };
      const state = await own(plugin.name, "state", {}, () => plugin.getSharedState?.(context));
      return { plugin, context: { ...context, state } satisfies RuntimeContext };
    }),
  );
  const tools = await Promise.all(
    (["getTools", "getRequestTools"] as const).flatMap((get) =>
      loaded.map(({ plugin, context }) =>
        own(plugin.name, "tools", [], async () =>
          ((await plugin[get]?.(context)) ?? []).map((tool) => bind(tool, context)),
        ),
      ),
    ),
  );
  return { states: loaded.map(({ context }) => context.state), tools: withoutClashes(tools.flat(), log) };

  async function own<Value>(
    plugin: string,
    part: "state" | "tools",
    otherwise: Value,
    work: () => Promise<Value> | Value | undefined,
  ): Promise<Value> {
    try {
      return (await work()) ?? otherwise;
    } catch (thrown) {
      log.error(`plugin-${part}-failed`, { plugin, reason: describeThrown(thrown) });
      return otherwise;
    }
  }
}

function bind(tool: AgentTool, context: RuntimeContext): BoundTool {
  if ("runsIn" in tool) return tool;
  return { ...tool, call: (args, toolCallId) => tool.handler(args, { ...context, toolCallId }) };
}

/** The first tool of a name stays: neither a plugin nor a request can replace another's. */
function withoutClashes(tools: readonly BoundTool[], log: Logger): readonly BoundTool[] {
  const byName = new Map<string, BoundTool>();
  for (const tool of tools) {
    if (byName.has(tool.name)) log.warn("tool-name-clash", { tool: tool.name });
    else byName.set(tool.name, tool);
  }
  return [...byName.values()];
}

export interface AuthorityOptions {
  readonly active: Pick<ActiveRun, "notice" | "requireDelegation">;
  /** The delegation of the request's own header. */
  readonly given: Delegation | undefined;
  readonly readStored: () => Promise<Delegation | null>;
  /** Whether the prompt may be shown now. */
  readonly mayPrompt: () => Promise<boolean>;
  readonly mint: Mint;
  /** Unix seconds. */
  readonly now: () => number;
}

export function createAuthority({ active, given, readStored, mayPrompt, mint, now }: AuthorityOptions): RunAuthority {
  let prompted = false;
  const valid = (delegation: Delegation | null | undefined): delegation is Delegation =>
    delegation !== null &&
    delegation !== undefined &&
    (delegation.expiration === null || delegation.expiration > now());

  async function find(wanted: Capability): Promise<Delegation | undefined> {
    if (valid(given) && covers(given, wanted)) return given;
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
    async delegation() {
      if (valid(given)) return given;
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
