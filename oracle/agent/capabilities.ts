/**
 * Which of the plugins' tools the model is offered. Those of visibility `always` stand in every request; those on demand
 * are there once `load_capability` was called in the session, from the next step on. The two tools that list and load them
 * exist only while a plugin has some.
 */
import { APPROVE_TOOL } from "../../protocol/socket-events.ts";
import * as z from "zod";
import type { PluginDefinition } from "../framework/plugin.ts";
import type { BoundTool, ContributedTool, OwnTool, Toolbox } from "./bound-tool.ts";
import type { SessionMemory } from "../runs/session-store.ts";
import { describeSchema } from "./arguments.ts";

export interface Capabilities extends Toolbox {
  /** Plugins whose tools are offered at the start of the turn. */
  readonly present: readonly PluginDefinition[];
  /** Whether there are tools to be loaded. */
  readonly hasMore: boolean;
}

export const LIST_CAPABILITIES = "list_capabilities";
const LOAD_CAPABILITY = "load_capability";

export function unknownTool(name: string): { readonly problem: string } {
  return { problem: `There is no such tool: ${name}` };
}

/** `loaded` holds the plugins that the session has loaded; it grows with each that is. */
export function createCapabilities(
  contributed: readonly ContributedTool[],
  loaded: Set<string>,
  memory: Pick<SessionMemory, "loadPlugin">,
): Capabilities {
  const onDemand = contributed.filter(({ visibility }) => visibility === "on-demand");
  const loadable = new Map(onDemand.map(({ plugin }) => [plugin.name, plugin]));
  const metaTools = onDemand.length === 0 ? [] : [listTool(), loadTool()];
  const reserved = new Set(metaTools.map(({ name }) => name));
  let offered = gather();

  function gather(): readonly BoundTool[] {
    const seen = contributed.filter(
      ({ tool, plugin, visibility }) =>
        !reserved.has(tool.name) && (visibility === "always" || loaded.has(plugin.name)),
    );
    return [...metaTools, ...seen.map(({ tool }) => tool)];
  }

  function toolsOf(plugin: string): readonly string[] {
    return onDemand.filter((each) => each.plugin.name === plugin).map(({ tool }) => tool.name);
  }

  function listTool(): OwnTool {
    return metaTool(
      LIST_CAPABILITIES,
      "Lists what else this oracle can do once it is loaded: names, what each is for and when to use it.",
      z.object({}),
      () =>
        [...loadable.values()].map(({ name, manifest: { title, summary, whenToUse } }) => ({
          name,
          title,
          summary,
          whenToUse,
          loaded: loaded.has(name),
        })),
    );
  }

  function loadTool(): OwnTool {
    const schema = z.object({ names: z.array(z.string()).min(1) });
    return metaTool(
      LOAD_CAPABILITY,
      `Loads capabilities by the names that ${LIST_CAPABILITIES} gives. Their tools can be called from the next step on.`,
      schema,
      (args) => {
        const { names } = schema.parse(args);
        const known = names.filter((name) => loadable.has(name));
        for (const name of known) {
          memory.loadPlugin(name);
          loaded.add(name);
        }
        offered = gather();
        return {
          loaded: known.map((name) => ({ name, tools: toolsOf(name) })),
          unknown: names.filter((name) => !loadable.has(name)),
        };
      },
    );
  }

  return {
    present: [...new Set(contributed.filter(({ tool }) => offered.includes(tool)).map(({ plugin }) => plugin))],
    hasMore: metaTools.length > 0,
    offered: () => offered,
    find(name) {
      const tool = offered.find((each) => each.name === name);
      if (tool !== undefined) return tool;
      const later = onDemand.find((each) => each.tool.name === name);
      if (later === undefined) return unknownTool(name);
      const call = JSON.stringify({ names: [later.plugin.name] });
      return {
        problem: `${name} is not loaded: call ${LOAD_CAPABILITY} with ${call} first, then call it in the next step`,
      };
    },
  };
}

/** A fixed set of tools. */
export function createToolbox(tools: readonly BoundTool[]): Toolbox {
  return {
    offered: () => tools,
    find: (name) => tools.find((tool) => tool.name === name) ?? unknownTool(name),
  };
}

function metaTool(name: string, description: string, schema: z.ZodType, call: OwnTool["call"]): OwnTool {
  return { name, description, schema, inputSchema: describeSchema(schema), effect: "read", call };
}

/**
 * Whether results of that tool hold text that the user did not write. A tool that the turn no longer has counts: nothing tells
 * where its text came from.
 */
export function isForeignTool({ find }: Toolbox, name: string): boolean {
  if (name === APPROVE_TOOL) return false;
  const tool = find(name);
  if ("problem" in tool) return true;
  return "foreign" in tool && tool.foreign === true;
}
