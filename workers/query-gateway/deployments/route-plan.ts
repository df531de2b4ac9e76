/**
 * The routes of a chain profile under its prefixes, checked against the other surfaces, and the nearest route to an
 * unknown path. An operator's own route that cannot be served is a configuration problem; an unservable route of a
 * descriptor set is logged.
 */
import type { Logger } from "../../../platform/log.ts";
import { failure, success, type Result } from "../../../platform/result.ts";
import { quoteJson } from "../json/scalars.ts";
import { planRoutes, type RoutePlan, type Route } from "../transcoding/routes.ts";
import type { StatusDetail } from "../upstream/upstream.ts";
import type { LoadedSet } from "./images.ts";
import type { DeploymentSettings } from "./settings.ts";

export interface RoutePlatform {
  readonly log: Logger;
  /** The other surface that owns the path, if any. */
  readonly otherOwnerOf: (path: string) => string | undefined;
}

export function planFor(
  { name, protocolPrefix, legacyPrefixes, aliases, limits, match }: DeploymentSettings,
  sets: readonly LoadedSet[],
  { log, otherOwnerOf }: RoutePlatform,
): Result<RoutePlan, readonly string[]> {
  const methods = sets.flatMap(({ schema }) => schema.methods);
  const options = { protocolPrefix, legacyPrefixes, legacyIxo: aliases.legacyIxo, aliases: aliases.extra };
  const plan = planRoutes(methods, options, limits);
  const problems = plan.refused
    .filter(({ source }) => source !== "rule")
    .map(({ source, where, reason }) => `${source} ${where}: ${reason}`);
  for (const { source, where, reason } of plan.refused) {
    if (source === "rule") log.warn("route-refused", { deployment: name, where, reason });
  }
  for (const { route, by } of plan.table.shadowed) {
    if (!route.isAlias) {
      const members = { route: route.template.text, method: route.bound.path, by: by.bound.path };
      log.info("route-shadowed", { deployment: name, ...members });
    }
  }
  const all = [
    ...problems,
    ...collisionsOf(
      plan.routes.map(({ template }) => template.text),
      match.mount,
      otherOwnerOf,
    ),
  ];
  return all.length === 0 ? success(plan) : failure(all);
}

/** Faults before any descriptor set is read: prefixes and aliases whose first segment belongs to another surface. */
export function prefixCollisions(
  { protocolPrefix, legacyPrefixes, aliases, match }: DeploymentSettings,
  otherOwnerOf: RoutePlatform["otherOwnerOf"],
): readonly string[] {
  const prefixes = [protocolPrefix, ...legacyPrefixes].map((prefix) => `/${prefix}`);
  return collisionsOf([...prefixes, ...aliases.extra.map(({ path }) => path)], match.mount, otherOwnerOf);
}

function collisionsOf(
  paths: readonly string[],
  mount = "",
  otherOwnerOf: RoutePlatform["otherOwnerOf"],
): readonly string[] {
  const collisions = new Set<string>();
  const owners = new Map<string, string | undefined>();
  for (const each of paths) {
    const path = mount + each;
    const [, first = ""] = path.split("/");
    // Hundreds of routes share a few first segments.
    if (!owners.has(first)) owners.set(first, otherOwnerOf(`/${first}`) ?? otherOwnerOf(`/${first}/x`));
    const owner = owners.get(first) ?? otherOwnerOf(path);
    if (owner !== undefined) collisions.add(`/${first} belongs to the ${owner} surface`);
  }
  return [...collisions];
}

/** The cost of a segment that the template leaves open: an almost equal literal is nearer. */
const VARIABLE_COST = 0.3;
/** Maximum letters of a segment, and segments of a path, that are compared for typing errors. */
const LONGEST_COMPARED = 64;
const MOST_SEGMENTS = 16;
/** A path that differs in a larger share of its segments has no near route. */
const FARTHEST = 0.6;

/** A `google.rpc.ErrorInfo`, as other APIs attach it. */
export function unknownPath(metadata: Readonly<Record<string, string>>): StatusDetail {
  const members = Object.entries({ surface: "query-gateway", ...metadata })
    .map(([name, value]) => `${quoteJson(name)}:${quoteJson(value)}`)
    .join(",");
  const head = '"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"PATH_NOT_FOUND","domain":"query-gateway"';
  return { kind: "json", text: `{${head},"metadata":{${members}}}` };
}

/** The template most similar to the path, with its method; undefined if none is similar. */
export function nearestPath(
  routes: readonly Pick<Route, "httpMethod" | "template" | "isAlias">[],
  path: string,
): string | undefined {
  const asked = path.slice(1).split("/");
  if (asked.length > MOST_SEGMENTS) return undefined;
  let best: { readonly cost: number; readonly text: string } | undefined;
  for (const { httpMethod, template, isAlias } of routes) {
    if (isAlias) continue;
    const cost = distance(template.segments, asked);
    if (best === undefined || cost < best.cost) best = { cost, text: `${httpMethod} ${template.text}` };
  }
  return best !== undefined && best.cost <= asked.length * FARTHEST ? best.text : undefined;
}

/** Edit distance by segments, like the distance of texts by letters. */
function distance(template: Route["template"]["segments"], asked: readonly string[]): number {
  return edits(template, asked, (segment, text) => {
    if (segment.kind !== "literal") return VARIABLE_COST;
    if (segment.value === text) return 0;
    if (text.length > LONGEST_COMPARED) return 1;
    const letters = edits(Array.from(segment.value), Array.from(text), (one, other) => (one === other ? 0 : 1));
    return letters / Math.max(segment.value.length, text.length, 1);
  });
}

/** The minimum cost to turn one list into the other, where omitting or adding an item costs 1. */
function edits<One, Other>(
  ones: readonly One[],
  others: readonly Other[],
  change: (one: One, other: Other) => number,
): number {
  let row = others.map((_, at) => at + 1);
  ones.forEach((one, index) => {
    let corner = index;
    let left = index + 1;
    row = others.map((other, at) => {
      const above = row[at] ?? 0;
      left = Math.min(above + 1, left + 1, corner + change(one, other));
      corner = above;
      return left;
    });
  });
  return row.at(-1) ?? ones.length;
}
