/**
 * The routes of a deployment under its prefixes, checked against its neighbours (contract D, section 2; decisions 1.1): what an
 * operator wrote and cannot be served is a fault of configuration, what an image holds and cannot be is a line in the log.
 */
import type { Logger } from "../../platform/log.ts";
import { failure, success, type Result } from "../../platform/result.ts";
import { planRoutes, type RoutePlan } from "../transcoding/routes.ts";
import type { LoadedSet } from "./loaded-sets.ts";
import type { DeploymentSettings } from "./settings.ts";

export interface RoutePlatform {
  readonly log: Logger;
  /** Which other surface owns the path, if any. */
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
  const faults = plan.refused
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
    ...faults,
    ...collisionsOf(
      plan.routes.map(({ template }) => template.text),
      match.mount,
      otherOwnerOf,
    ),
  ];
  return all.length === 0 ? success(plan) : failure(all);
}

/** What is wrong before any image is read: prefixes and aliases whose first segment is a neighbour's. */
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
    // Hundreds of routes have but a few first segments.
    if (!owners.has(first)) owners.set(first, otherOwnerOf(`/${first}`) ?? otherOwnerOf(`/${first}/x`));
    const owner = owners.get(first) ?? otherOwnerOf(path);
    if (owner !== undefined) collisions.add(`/${first} belongs to the ${owner} surface`);
  }
  return [...collisions];
}
