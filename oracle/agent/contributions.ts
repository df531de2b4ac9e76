/**
 * The contributions of the plugins to one run: shared state first, then tools, sub-agents and middleware, each bound to its
 * plugin's context. If a plugin throws, its contribution is dropped; if the contribution was middleware, the run fails. A plugin
 * that hangs delays the run until its time limit.
 */
import type { RuntimeContext } from "../framework/context.ts";
import type { PluginDefinition, TurnPart } from "../framework/plugin.ts";
import type { AgentTool, PluginTool } from "../framework/tools.ts";
import { isJsonObject } from "../../platform/json.ts";
import { describeThrown, type Logger } from "../../platform/log.ts";
import type { LoadedPlugin, OracleSettings } from "../settings.ts";
import type { SharedPart } from "./request-context.ts";
import { unlessCut, type BoundMiddleware, type Report } from "./hooks.ts";
import { misspeltHooks } from "./misspelt-hooks.ts";
import { approvalRule } from "./client-requests.ts";
import { describeSchema } from "./arguments.ts";
import type { SharedState } from "../framework/shared-state.ts";
import type { TurnHook } from "../framework/turn-hooks.ts";
import type { PluginSubAgent } from "../framework/sub-agents.ts";
import type { OwnTool, BoundTool, ContributedTool } from "./bound-tool.ts";

/** What the plugins add to the agent. */
export interface Contributions {
  readonly states: readonly SharedState[];
  /** Names are unique. */
  readonly tools: readonly ContributedTool[];
  /** In load order. */
  readonly middlewares: readonly BoundMiddleware[];
}

/** Thrown by a built-in tool: the model gets this message instead of an output. */
export class NoOutput extends Error {
  override readonly name = "NoOutput";
}

/** Thrown when a plugin fails to return its middleware. It could contain a gate, and a run must not bypass a gate. */
export class GateMissing extends Error {
  override readonly name = "GateMissing";
  readonly plugin: string;

  constructor(plugin: string) {
    super(`the middleware of ${plugin} is missing`);
    this.plugin = plugin;
  }
}

/** Turns a sub-agent into a tool. `middlewares` of all plugins also wrap its steps. */
export type BindSubAgent = (
  agent: PluginSubAgent,
  owner: { readonly context: RuntimeContext; readonly report: Report },
  middlewares: readonly BoundMiddleware[],
) => OwnTool;

/** The members of a context that differ per plugin. */
export type OwnPart = Pick<
  RuntimeContext,
  "kv" | "blobs" | "texts" | "remembered" | "oracleKv" | "sealing" | "background" | "onTurnEnd"
>;

export interface ContributionFacts {
  readonly log: Logger;
  readonly ownPartOf: (plugin: string) => OwnPart;
  readonly bindSubAgent: BindSubAgent;
  readonly onError?: OracleSettings["onError"] | undefined;
}

/** Loads all states concurrently, then the rest, which may depend on them. */
export async function loadContributions(
  plugins: readonly LoadedPlugin[],
  shared: SharedPart<RuntimeContext>,
  { ownPartOf, log, bindSubAgent, onError }: ContributionFacts,
): Promise<Contributions> {
  const loaded = await Promise.all(
    plugins.filter(takesPart).map(async ({ plugin, config, turnHooks }) => {
      const context: RuntimeContext = { ...shared, config, state: {}, ...ownPartOf(plugin.name) };
      if (!turnHooks.includes("getSharedState")) return { plugin, context, turnHooks };
      const state = await own(plugin, "state", () => plugin.getSharedState?.(context), stateOf);
      return { plugin, context: { ...context, state: state ?? {} } satisfies RuntimeContext, turnHooks };
    }),
  );
  const gather = async <Value>(
    part: "tools" | "sub-agents" | "middlewares",
    hook: TurnHook,
    get: (
      plugin: PluginDefinition,
      context: RuntimeContext,
    ) => Promise<readonly Value[]> | readonly Value[] | undefined,
  ) => {
    const found = await Promise.all(
      loaded
        .filter(({ turnHooks }) => turnHooks.includes(hook))
        .map(async ({ plugin, context }) => {
          const values = await own(plugin, part, () => get(plugin, context), listOf<Value>);
          return (values ?? []).map((value) => ({ plugin, context, value }));
        }),
    );
    return found.flat();
  };
  const [fixedTools, tools, requestTools, agents, requestAgents, ownMiddlewares] = await Promise.all([
    gather<AgentTool>("tools", "tools", (plugin) => plugin.tools),
    gather<AgentTool>("tools", "getTools", (plugin, context) => plugin.getTools?.(context)),
    gather<AgentTool>("tools", "getRequestTools", (plugin, context) => plugin.getRequestTools?.(context)),
    gather("sub-agents", "getSubAgents", (plugin, context) => plugin.getSubAgents?.(context)),
    gather("sub-agents", "getRequestSubAgents", (plugin, context) => plugin.getRequestSubAgents?.(context)),
    gather("middlewares", "getMiddlewares", (plugin, context) => plugin.getMiddlewares?.(context)),
  ]);
  const middlewares = ownMiddlewares.map(({ plugin, context, value }) =>
    checked(plugin, { middleware: value, context, report: reportOf(plugin) }),
  );
  const bound = [
    ...[...fixedTools, ...tools, ...requestTools].flatMap(({ plugin, context, value }) =>
      offer(plugin, value, () => bindTool(value, context, reportOf(plugin))),
    ),
    ...[...agents, ...requestAgents].flatMap(({ plugin, context, value }) =>
      offer(plugin, value, () => bindSubAgent(value, { context, report: reportOf(plugin) }, middlewares)),
    ),
  ];
  return {
    states: loaded.map(({ context }) => context.state),
    tools: withoutClashes(bound, log),
    middlewares,
  };

  function takesPart({ plugin, turnHooks }: LoadedPlugin): boolean {
    return turnHooks.length > 0 && (plugin.turnsWith?.some((part) => hasPart(part, shared)) ?? true);
  }

  /** Logs middleware with a misspelt hook. If that middleware is a gate, the run fails, since the gate would never be asked. */
  function checked({ name: plugin }: PluginDefinition, bound: BoundMiddleware): BoundMiddleware {
    const { name: middleware, required } = bound.middleware;
    const members = misspeltHooks(bound.middleware);
    if (members.length > 0) log.warn("middleware-misspelt", { plugin, middleware, members });
    if (members.length > 0 && required === true) throw new GateMissing(plugin);
    return bound;
  }

  function reportOf({ name }: PluginDefinition): Report {
    return (thrown) => onError?.(thrown, `plugin:${name}`);
  }

  /** Undefined when the plugin has no such hook, or the hook failed. */
  async function own<Given, Value>(
    definition: PluginDefinition,
    part: "state" | "tools" | "sub-agents" | "middlewares",
    work: () => Promise<Given> | Given,
    read: (given: Given) => Value,
  ): Promise<Value | undefined> {
    try {
      return read(await unlessCut(shared.abortSignal, work));
    } catch (thrown) {
      const { name: plugin } = definition;
      log.error(`plugin-${part}-failed`, { plugin, reason: describeThrown(thrown) });
      if (!shared.abortSignal.aborted) reportOf(definition)(thrown);
      if (part === "middlewares") throw new GateMissing(plugin);
      return undefined;
    }
  }

  /** A tool that cannot be described would fail every run: model services refuse the whole request. */
  function offer(
    plugin: PluginDefinition,
    declared: AgentTool | PluginSubAgent,
    bind: () => BoundTool,
  ): readonly ContributedTool[] {
    try {
      const declaredVisibility = "visibility" in declared ? declared.visibility : undefined;
      const visibility = declaredVisibility ?? plugin.manifest.visibility ?? "on-demand";
      if (visibility === "silent") return [];
      if (visibility !== "always" && visibility !== "on-demand")
        throw new TypeError("the visibility must be always, on-demand or silent");
      const tool = bind();
      if (typeof tool.name !== "string" || !TOOL_NAME.test(tool.name))
        throw new TypeError("the name is not 1 to 64 letters, digits, dashes and underscores");
      return [{ tool, plugin, visibility }];
    } catch (thrown) {
      log.error("tool-left-out", { plugin: plugin.name, tool: nameOf(declared), reason: describeThrown(thrown) });
      reportOf(plugin)(thrown);
      return [];
    }
  }
}

/** Undefined when the name cannot be read. */
function nameOf(declared: AgentTool | PluginSubAgent): string | undefined {
  try {
    return declared.name;
  } catch {
    return undefined;
  }
}

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

function bindTool(tool: AgentTool, context: RuntimeContext, report: Report): BoundTool {
  const inputSchema = describeSchema(tool.schema);
  if ("runsIn" in tool) return { ...tool, inputSchema };
  return bindOwnTool(tool, context, report);
}

export function bindOwnTool(tool: PluginTool, context: RuntimeContext, report: Report): OwnTool {
  return {
    ...tool,
    report,
    inputSchema: describeSchema(tool.schema),
    needsApproval: approvalRule(tool, context, report),
    call: (args, toolCallId) => tool.handler(args, { ...context, toolCallId }),
  };
}

function hasPart(part: TurnPart, { request, history }: Pick<RuntimeContext, "request" | "history">): boolean {
  switch (part) {
    case "attachments":
      return request.attachments.length > 0 || history.hasAttachments;
    case "browser-tools":
      return request.tools.length > 0;
    case "actions":
      return request.agActions.length > 0;
  }
}

/** The prompt is built from this state. */
function stateOf(state: unknown): SharedState {
  if (state === undefined || state === null) return {};
  if (!isJsonObject(state)) throw new TypeError("the state is not an object");
  for (const part of ["promptSection", "agentName"])
    if (state[part] !== undefined && typeof state[part] !== "string") throw new TypeError(`${part} is not a text`);
  return state;
}

/** Checks that a plugin returned a list of objects: authors may write JavaScript. */
function listOf<Value>(values: readonly Value[] | undefined): readonly Value[] {
  if (values === undefined) return [];
  if (!Array.isArray(values) || values.some((value) => typeof value !== "object" || value === null))
    throw new TypeError("the hook returned no list of objects");
  return values as readonly Value[];
}

/** The first tool of a name wins: neither a plugin nor a request can replace another's tool. */
function withoutClashes(tools: readonly ContributedTool[], log: Logger): readonly ContributedTool[] {
  const byName = new Map<string, ContributedTool>();
  for (const contributed of tools) {
    const { name } = contributed.tool;
    if (byName.has(name)) log.warn("tool-name-clash", { tool: name });
    else byName.set(name, contributed);
  }
  return [...byName.values()];
}
