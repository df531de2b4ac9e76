/** Mistakes that an author of an oracle must correct before it starts, found over all plugins, with one line about each. */
import type { BootError } from "../framework/app-options.ts";
import type { PluginDefinition } from "../framework/plugin.ts";
import type { BootOptions, PluginEdge } from "./boot-options.ts";
import { manifestFaults } from "./plugin-manifest.ts";
import { covers, overlaps } from "./route-overlap.ts";

/** A value that an author without types passed in place of a plugin; it has no name to report. */
export function firstMisshapen(plugins: readonly unknown[]): BootError | undefined {
  for (const [index, plugin] of plugins.entries()) {
    if (typeof plugin === "object" && plugin !== null && "name" in plugin && isName(plugin.name)) continue;
    const isClass = typeof plugin === "function" && plugin.name !== "";
    const [name, fault] = isClass
      ? [plugin.name, `everything: ${plugin.name} is a class, give new ${plugin.name}()`]
      : [`plugin number ${index + 1}`, "the name of the plugin"];
    return { code: "boot.plugin.manifest_invalid", plugin: name, names: [fault] };
  }
  return undefined;
}

/** It is also the pattern of tool names: the model and the addresses of `/health` use these names. */
const NAME = /^[\w-]{1,64}$/;
const NAME_FORM = "a name of 1 to 64 letters, digits, dashes and underscores";

function isName(name: unknown): boolean {
  return typeof name === "string" && name !== "";
}

export function firstInvalid(plugins: readonly PluginDefinition[]): BootError | undefined {
  const names = plugins.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return { code: "boot.plugin.duplicate_name", plugin: twice, names: [twice] };
  for (const { name, manifest } of plugins) {
    const faults = [...(NAME.test(name) ? [] : [NAME_FORM]), ...manifestFaults(manifest)];
    if (faults.length > 0) return { code: "boot.plugin.manifest_invalid", plugin: name, names: faults };
  }
  return undefined;
}

/**
 * A plugin orders its own routes, so a specific route may precede a general one. A route that an earlier one covers would never be
 * reached.
 */
export function firstRouteClash(
  edges: readonly Pick<PluginEdge, "plugin" | "routes">[],
  { builtIn, otherOwnerOf }: Pick<BootOptions, "builtIn" | "otherOwnerOf">,
): BootError | undefined {
  const taken = builtIn.map((route) => ({ ...route, owner: "the oracle" }));
  for (const { plugin, routes } of edges) {
    const own = routes.map(({ method, path }) => ({ method: method.toUpperCase(), path }));
    for (const [index, route] of own.entries()) {
      const earlier = own.slice(0, index).find((known) => covers(known, route));
      const other = taken.find((known) => overlaps(known, route)) ?? (earlier && { ...earlier, owner: "its own" });
      const owner = otherOwnerOf?.(route.path);
      const clash = other === undefined ? owner : `${other.method} ${other.path} (${other.owner})`;
      if (clash === undefined) continue;
      const names = [`${route.method} ${route.path}`, clash];
      return { code: "boot.plugin.route_clash", plugin: plugin.name, names };
    }
    taken.push(...own.map((route) => ({ ...route, owner: `plugin ${plugin.name}` })));
  }
  return undefined;
}

/** Names of the built-in tools; `tools` and plugins' tools must not repeat them. */
const ownTools = ["list_capabilities", "load_capability", "read_result"];

/** Compares tools that are known at boot; the run compares its own tools. */
export function firstToolClash(edges: readonly Pick<PluginEdge, "plugin" | "tools">[]): BootError | undefined {
  const owners = new Map(ownTools.map((name) => [name, "the oracle"]));
  for (const { plugin, tools } of edges) {
    for (const name of tools) {
      const owner = owners.get(name);
      if (owner !== undefined) return { code: "boot.plugin.tool_clash", plugin: plugin.name, names: [name, owner] };
      owners.set(name, `plugin ${plugin.name}`);
    }
  }
  return undefined;
}

/** Used instead of a plugin's name when the options of all plugins cause the error. */
export const UNKNOWN_PLUGIN = "createOracleApp";

/** Reports only the kind of the error: its text may quote an option. */
export function unreadableOptions(thrown: unknown): BootError {
  const names = [thrown instanceof Error ? thrown.name : "unknown"];
  return { code: "boot.options_invalid", plugin: UNKNOWN_PLUGIN, names };
}

const reasons: Readonly<Record<BootError["code"], (error: BootError) => string>> = {
  "boot.plugin.env_missing": ({ plugin, names }) => `features forces ${plugin} on, which lacks ${list(names)}`,
  "boot.plugin.dep_missing": ({ plugin, names }) => `features forces ${plugin} on, which needs ${list(names)}`,
  "boot.plugin.cascaded_off": ({ plugin, names }) =>
    `features forces ${plugin} on, which needs ${list(names)}, which is off`,
  "boot.plugin.cycle": ({ names }) => `they need each other: ${list(names)}`,
  "boot.plugin.duplicate_name": ({ plugin }) => `two plugins are named ${plugin}`,
  "boot.plugin.manifest_invalid": ({ plugin, names }) => `the manifest of ${plugin} lacks ${list(names)}`,
  "boot.plugin.route_clash": ({ plugin, names: [own = "", other = ""] }) =>
    `the route ${own} of ${plugin} overlaps ${other}`,
  "boot.options_invalid": ({ plugin, names }) => `the options of ${plugin} cannot be read: ${list(names)}`,
  "boot.plugin.tool_clash": ({ plugin, names: [tool = "", owner = ""] }) =>
    `the tool ${tool} of ${plugin} has the same name as a tool of ${owner}`,
};

/** One line for an operator, without any variable's value. */
export function describeBootError(error: BootError): string {
  return `${error.code}: ${reasons[error.code](error)}`;
}

function list(names: readonly string[]): string {
  return names.length === 0 ? "what its autoDetect looks for" : names.join(", ");
}
