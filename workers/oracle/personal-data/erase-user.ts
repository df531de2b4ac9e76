/**
 * Erases a user of the oracle: their sessions, which stops their runs, then the data that plugins store elsewhere, then the user's
 * own object. Each step can be repeated. A request that was noted continues on the oracle's schedule until it is complete, so it
 * survives a killed process.
 */
import type { KeptData } from "../../../oracle/framework/erasure.ts";
import type { PluginEdge } from "../../../oracle/boot/boot-options.ts";
import { databaseOf, type DatabaseBindings } from "../../../platform/database/database-of.ts";
import { describeThrown } from "../../../platform/log.ts";
import { outsideContext, type OutsideParts } from "../outside-context.ts";
import { userVault } from "../objects.ts";
import { createErasures, type Erasures, type PendingErasure } from "./erasures.ts";

export type ErasurePlugin = Pick<PluginEdge, "plugin" | "context">;

export interface EraseParts {
  readonly plugins: readonly ErasurePlugin[];
  readonly outside: OutsideParts;
}

/** A complete erasure, or one that the schedule continues. */
export type ErasureOutcome =
  | { readonly state: "erased"; readonly erasedAt: string; readonly kept: readonly KeptData[] }
  | { readonly state: "pending"; readonly requestedAt: string };

/** Erasures that one run of the schedule continues. */
const ERASURES_AT_ONCE = 5;

/** Data that the oracle itself keeps. */
const ownKept: readonly KeptData[] = [
  {
    what: "numbers of requests, turns and tokens of today",
    why: "an erasure must not reset the day's limits; deleted within two days",
  },
  { what: "ids of revoked delegations", why: "a revoked token must stay revoked" },
  {
    what: "a digest of your DID, with the time of the erasure",
    why: "an operator who restores a backup can find whom to erase again",
  },
];

/** Without a database, nothing can note the request: the caller repeats it if it fails. */
export async function requestErasure(parts: EraseParts, did: string): Promise<ErasureOutcome> {
  const { env, clock } = parts.outside;
  const erasures = erasuresIn(env);
  if (erasures === undefined) {
    const kept = await eraseUser(parts, did);
    return { state: "erased", erasedAt: new Date(clock()).toISOString(), kept };
  }
  return attempt(parts, erasures, await erasures.request(did, clock()));
}

/** Continues erasures that did not end. */
export async function continueErasures(parts: EraseParts): Promise<void> {
  const { env, clock } = parts.outside;
  const erasures = erasuresIn(env);
  if (erasures === undefined) return;
  for (const erasure of await erasures.due(clock(), ERASURES_AT_ONCE)) await attempt(parts, erasures, erasure);
}

async function attempt(parts: EraseParts, erasures: Erasures, erasure: PendingErasure): Promise<ErasureOutcome> {
  const { clock, logger } = parts.outside;
  try {
    const kept = await eraseUser(parts, erasure.did);
    const now = clock();
    await erasures.complete(erasure, kept, now);
    return { state: "erased", erasedAt: new Date(now).toISOString(), kept };
  } catch (thrown) {
    logger.error("user-erasure-failed", { attempts: erasure.attempts, reason: describeThrown(thrown) });
    await erasures.postpone(erasure, clock());
    return { state: "pending", requestedAt: erasure.requestedAt };
  }
}

async function eraseUser({ plugins, outside }: EraseParts, did: string): Promise<readonly KeptData[]> {
  const vault = userVault(outside.env, did);
  // First, so that no run stores anything after a plugin has erased.
  await vault.eraseSessions();
  const kept: KeptData[] = [];
  for (const { plugin, context } of plugins) {
    const keptByPlugin = await plugin.userErased?.(did, outsideContext({ plugin, context }, outside));
    kept.push(...(keptByPlugin ?? []));
  }
  await vault.eraseUser();
  return [...kept, ...ownKept];
}

export function erasuresIn(env: DatabaseBindings): Erasures | undefined {
  // An author's oracle may have neither.
  const { DATABASE: d1, HYPERDRIVE: postgres }: Partial<DatabaseBindings> = env;
  return d1 === undefined && postgres === undefined ? undefined : createErasures(databaseOf(env));
}
