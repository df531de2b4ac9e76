/**
 * The plugin mcp: tools of the MCP servers that the operator configures. Their lists are read at the start of a turn. The turn
 * omits servers that cannot be reached and tools that changed under their old names.
 */
import type { JsonObject } from "../../../platform/json.ts";
import { describeThrown } from "../../../platform/log.ts";
import type { RuntimeContext } from "../../framework/context.ts";
import { defineOraclePlugin, type PluginDefinition } from "../../framework/plugin.ts";
import type { PluginTool } from "../../framework/tools.ts";
import { answerElicitation } from "./elicitation.ts";
import { withoutChanged, type SettledSessions } from "./known-tools.ts";
import { effectOf, needsApproval, schemaOf, type ListedTool } from "./listed-tool.ts";
import { oauthAuthorization } from "./oauth.ts";
import { confirmTool } from "./oauth-confirmation.ts";
import { oauthRoutes } from "./oauth-routes.ts";
import { pinRoutes } from "./pin-routes.ts";
import { acceptedTools, PINS_READ_AGAIN_MS, pinsWith, updatePins, type Pins } from "./pins.ts";
import { claimWarning, describeHealth, noteHealth, type KnownHealth } from "./server-health.ts";
import { mcpSettings, type McpServer, type McpSettings } from "./settings.ts";
import { signInTool } from "./sign-in.ts";
import { createCallMaker, type AnswerElicitation, type CallMaker } from "./tool-call.ts";
import { fullName } from "./tool-names.ts";
import { createTurnServers, type Platform, type ReachedServer, type ServerMemory } from "./turn-servers.ts";
import { unwrappingMiddleware } from "./unwrapped-arguments.ts";

export interface McpOptions extends Platform {
  readonly answerElicitation: AnswerElicitation;
}

/** An isolate's cache of an oracle's servers. */
interface Memory extends ServerMemory {
  readonly health: KnownHealth;
  readonly settled: SettledSessions;
  readonly pins: Map<string, { readonly pins: Pins; readonly readAt: number }>;
}

interface OfferedServer {
  readonly server: McpServer;
  readonly tools: readonly ListedTool[];
}

/** State shared by the hooks of a turn. */
interface McpTurn {
  readonly offered: readonly OfferedServer[];
  readonly unknown: readonly McpServer[];
  readonly calls: CallMaker;
}

function newMemory(): Memory {
  return { lists: new Map(), downUntil: new Map(), health: new Map(), settled: new Map(), pins: new Map() };
}

export function createMcp(options: McpOptions): PluginDefinition<McpSettings, McpTurn> {
  const { clock, authorization, answerElicitation } = options;
  const memories = new WeakMap<McpSettings, Memory>();

  function memoryOf(config: McpSettings): Memory {
    let memory = memories.get(config);
    if (memory === undefined) memories.set(config, (memory = newMemory()));
    return memory;
  }

  /** The approved tools of a pinned server's list. */
  async function pinned(
    { server, tools }: ReachedServer,
    ctx: RuntimeContext<McpSettings>,
    memory: Memory,
  ): Promise<{ readonly tools: readonly ListedTool[]; readonly waiting: readonly string[] }> {
    if (!server.pin || tools.length === 0) return { tools, waiting: [] };
    let read = memory.pins.get(server.name);
    const isOld = read === undefined || clock() - read.readAt > PINS_READ_AGAIN_MS;
    if (read === undefined || isOld || pinsWith(read.pins, tools) !== read.pins) {
      read = { pins: await updatePins(ctx.oracleKv, server.name, tools), readAt: clock() };
      memory.pins.set(server.name, read);
    }
    return acceptedTools(read.pins, tools);
  }

  /** One notice for all servers that are down and that the user has not recently been warned of. */
  async function warnOfDown(ctx: RuntimeContext<McpSettings>, reached: readonly ReachedServer[]): Promise<void> {
    const warnings = reached
      .filter(({ isDown }) => isDown)
      .map(async ({ server: { name } }) => ((await mayWarn(ctx, name)) ? [name] : []));
    const names = (await Promise.all(warnings)).flat();
    if (names.length > 0)
      ctx.notice(
        `Not reachable at the moment, so their tools are missing: ${names.join(", ")}`,
        "mcp_server_unreachable",
      );
  }

  /** A user whose storage is full is warned in each turn. */
  async function mayWarn({ kv, logger }: RuntimeContext<McpSettings>, server: string): Promise<boolean> {
    try {
      return await claimWarning(kv, server, clock());
    } catch (thrown) {
      logger.warn("mcp-warning-not-kept", { server, reason: describeThrown(thrown) });
      return true;
    }
  }

  async function startTurn(ctx: RuntimeContext<McpSettings>): Promise<McpTurn> {
    const memory = memoryOf(ctx.config);
    const servers = createTurnServers(ctx, memory, options);
    ctx.onTurnEnd(() => servers.closeAll());
    const reached = await servers.reachAll();
    for (const { server, isDown } of reached.filter(({ wasAsked }) => wasAsked))
      ctx.background(noteHealth(ctx.oracleKv, memory.health, server.name, !isDown, clock()));
    const accepted = await Promise.all(
      reached.map(async (one) => ({ server: one.server.name, of: one.server, ...(await pinned(one, ctx, memory)) })),
    );
    const { servers: kept, changed } = await withoutChanged(ctx.kv, ctx.session.id, accepted, memory.settled);
    await warnOfDown(ctx, reached);
    tellUser(ctx, reached, [
      ...changed,
      ...accepted.flatMap(({ server, waiting }) => waiting.map((tool) => fullName(server, tool))),
    ]);
    return {
      offered: kept.map(({ of, tools }) => ({ server: of, tools })),
      unknown: reached.filter(({ isUnknown }) => isUnknown).map(({ server }) => server),
      calls: createCallMaker({ servers, clock, answerElicitation }),
    };
  }

  return defineOraclePlugin<McpSettings, McpTurn>({
    name: "mcp",
    version: "1.0.0",
    manifest: {
      title: "MCP servers",
      summary: "Tools of other services, by the Model Context Protocol. Each is named after its server.",
      whenToUse: ["the user asks for something that a tool of one of these services does"],
      whenNotToUse: ["the answer needs no other service"],
      tags: ["mcp"],
      category: "integration",
      visibility: "always",
      stability: "beta",
    },
    configSchema: mcpSettings,
    autoDetect: (env) => isSet((env as unknown as JsonObject)["MCP_SERVERS"]),
    autoDetectHint: "MCP_SERVERS",

    getSharedState: (ctx) => startTurn(ctx),

    async getTools(ctx) {
      const { offered = [], unknown = [], calls } = ctx.state;
      if (calls === undefined) return [];
      const signIns = await Promise.all(unknown.map((server) => signInTool(server, ctx, authorization)));
      const confirmed = ctx.config.servers.filter(({ auth, confirmSignIn }) => auth === "oauth" && confirmSignIn);
      const confirmations = await Promise.all(confirmed.map((server) => confirmTool(server, ctx)));
      const tools = offered.flatMap(({ server, tools: listed }) => listed.map((tool) => offer(server, tool, calls)));
      return [...tools, ...signIns, ...confirmations];
    },

    getMiddlewares({ state: { offered = [] } }) {
      const schemas = new Map(
        offered.flatMap(({ tools }) => tools.map((tool) => [tool.modelName, schemaOf(tool.definition)] as const)),
      );
      return schemas.size === 0 ? [] : [unwrappingMiddleware(schemas)];
    },

    getHealth: ({ oracleKv, config }) => describeHealth(oracleKv, config.servers),
    getRoutes: (ctx) => [...pinRoutes(ctx), ...oauthRoutes(ctx)],
  });
}

function isSet(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

function offer(server: McpServer, tool: ListedTool, calls: CallMaker): PluginTool {
  const { modelName: name, definition } = tool;
  const { description = "" } = definition;
  return {
    name,
    description: description === "" ? `${definition.name} of ${server.name}` : description,
    schema: schemaOf(definition),
    effect: effectOf(server, tool),
    needsApproval: needsApproval(server, tool),
    foreign: true,
    handler: (args, ctx) => calls.call(server, tool, args as JsonObject, ctx),
  };
}

function tellUser(ctx: RuntimeContext<McpSettings>, reached: readonly ReachedServer[], off: readonly string[]): void {
  if (off.length > 0) {
    ctx.logger.warn("mcp-tool-changed", { tools: off });
    ctx.notice(`Changed by their server and therefore off: ${off.join(", ")}`, "mcp_tool_changed");
  }
  for (const { server, omitted, wasAsked } of reached)
    if (wasAsked && omitted > 0) ctx.logger.warn("mcp-tools-left-out", { server: server.name, count: omitted });
}

/** The Worker's own implementations. */
export const platform: McpOptions = {
  fetch: (url, init) => fetch(url, init),
  clock: () => Date.now(),
  authorization: oauthAuthorization,
  answerElicitation,
};

export const mcp = createMcp(platform);
