/** Checks a manifest, and replaces a part of a plugin's manifest. */
import type { PluginDefinition, PluginManifest } from "../framework/plugin.ts";

const visibilities = ["always", "on-demand", "silent"];

/** Missing or empty members, and an unknown visibility. */
export function manifestFaults(manifest: Partial<PluginManifest> | undefined): readonly string[] {
  const { title, summary, whenToUse, visibility } = manifest ?? {};
  const texts = { title, summary };
  return [
    ...Object.entries(texts).flatMap(([member, text]) => (isText(text) ? [] : [member])),
    ...(visibility === "silent" || (Array.isArray(whenToUse) && whenToUse.some(isText)) ? [] : ["whenToUse"]),
    ...(visibility === undefined || visibilities.includes(visibility) ? [] : ["a visibility that exists"]),
  ];
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

/** The hooks stay methods of the plugin itself: a class may have private members. */
export function withManifest(plugin: PluginDefinition, change: Partial<PluginManifest> | undefined): PluginDefinition {
  if (change === undefined) return plugin;
  const manifest = { ...plugin.manifest, ...change };
  // Proxies an empty object, since members of a frozen plugin could not be replaced.
  return new Proxy({} as PluginDefinition, {
    get(_, member) {
      if (member === "manifest") return manifest;
      const value: unknown = Reflect.get(plugin, member, plugin);
      return typeof value === "function" ? (value.bind(plugin) as unknown) : value;
    },
    has: (_, member) => member in plugin,
  });
}
