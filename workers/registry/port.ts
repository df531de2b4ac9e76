/**
 * The registry's interface for other surfaces: `DomainDirectory` and `EntitySource` over D1. Single domains are in
 * their effective state, lists in their stored state.
 */
import type { Database } from "../../platform/database/database.ts";
import { fail } from "../../platform/failure.ts";
import type { JsonObject } from "../../platform/json.ts";
import { describeThrown, type Logger } from "../../platform/log.ts";
import type {
  AtRevision,
  DomainDirectory,
  DomainEntity,
  DomainSummary,
  EntityReads,
  EntitySource,
} from "../../platform/ports.ts";
import { failure, type Result, success } from "../../platform/result.ts";
import { didDocumentOf, entityOf } from "./domain/did-document.ts";
import { isDomainId } from "./domain/domain-id.ts";
import type { DomainRecord } from "./domain/domain.ts";
import { openableSurfaces, type OpenableSurface } from "./config.ts";
import type { DeploymentBudget } from "./lists/deployment-budget.ts";
import {
  countDomains,
  domainRange,
  domainsBySuffix,
  domainsOf,
  meterOf,
  OFFSET,
  rowsOfRange,
} from "./lists/directory.ts";
import { type DomainListQuery, readListQuery } from "./lists/domain-query.ts";
import { readSmallPage } from "./lists/row-budget.ts";
import { newestChange } from "./store/change-store.ts";
import { readEffective, readEffectiveAtRevision } from "./store/effective-domain.ts";
import { RefusedQuery, tooManyRows } from "./store/refused-query.ts";

export interface DirectoryParts {
  readonly database: Database;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly log: Logger;
  /** `REGISTRY_PUBLIC_READS`; all surfaces by default. */
  readonly publicReads?: readonly OpenableSurface[];
  /** The budget that anonymous callers share; unlimited by default. */
  readonly deployment?: DeploymentBudget | undefined;
}

/** The minimum and maximum digits that a user types of an id's 32. */
const SUFFIX = /^[0-9a-f]{6,32}$/;

const NO_SUCH_DOMAIN = fail("not_found", "There is no such domain");

const CLOSED = fail("forbidden", "Reading this registry requires an API key");

const newestFirst: DomainListQuery["sort"] = { field: "createdAt", descending: true };

export function createDomainDirectory({
  database,
  clock,
  log,
  publicReads = openableSurfaces,
  deployment,
}: DirectoryParts): DomainDirectory & EntitySource {
  const isPublic = { entities: publicReads.includes("graphql"), documents: publicReads.includes("did") };

  /** A hidden domain looks like one that does not exist. */
  function isShown({ controllers }: Pick<DomainRecord, "controllers">, askers: readonly string[]): boolean {
    return isPublic.entities || controllers.some((controller) => askers.includes(controller));
  }

  async function one(id: string): Promise<Result<DomainRecord>> {
    const shown = isDomainId(id) ? await readEffective(database, id, clock()) : undefined;
    return shown === undefined ? NO_SUCH_DOMAIN : success(shown.domain);
  }

  async function summary(id: string, askers: readonly string[]): Promise<Result<DomainSummary>> {
    const found = await one(id);
    if (!found.ok) return found;
    return isShown(found.value, askers) ? success(summaryOf(found.value)) : NO_SUCH_DOMAIN;
  }

  /** A deactivated domain is gone, as in DID resolution: its keys no longer sign anything. */
  async function didDocument(id: string): Promise<Result<JsonObject>> {
    const found = await one(id);
    if (!found.ok) return found;
    if (found.value.status === "deactivated") return fail("gone", "The domain is deactivated");
    return success(didDocumentOf(found.value));
  }

  async function list(query: DomainListQuery, limit: number): Promise<Result<readonly DomainSummary[]>> {
    return success((await domainsOf(database, query, limit)).map(summaryOf));
  }

  /** A storage failure becomes a failure value, which the caller reports to its client. */
  async function guarded<Value>(ask: () => Promise<Result<Value>>): Promise<Result<Value>> {
    try {
      return await ask();
    } catch (thrown) {
      if (thrown instanceof RefusedQuery) return failure(thrown.failure);
      log.error("directory-failed", { reason: describeThrown(thrown) });
      return fail("unavailable", "The domain registry is unavailable", { retryAfter: 1 });
    }
  }

  /** Callers with a `budget` are charged to it. */
  function readsOf(budget: DeploymentBudget | undefined): EntityReads {
    const counted = <Value>(read: () => Promise<Result<Value>>) =>
      guarded(async () => {
        const wait = (await budget?.admitPublic()) ?? 0;
        return wait > 0 ? failure(tooManyRows("public", wait).failure) : read();
      });
    return {
      revision: () => counted(async () => success(await newestChange(database))),
      entity: (id) =>
        counted(async () => {
          const found = isDomainId(id) ? await readEffectiveAtRevision(database, id, clock()) : undefined;
          return success<AtRevision<DomainEntity | undefined>>({
            value: found && entityOf(found.domain),
            revision: found?.revision ?? (await newestChange(database)),
          });
        }),
      entities: (request) =>
        counted(async () => {
          if (request.offset > OFFSET) return fail("invalid_request", `offset is at most ${OFFSET}; use key`);
          const meter = meterOf(database, budget);
          try {
            const read = await readSmallPage(meter, rowsOfRange(request), () => domainRange(database, request));
            const { records, next, total, revision } = read;
            const page = {
              entities: records.map(entityOf),
              ...(next === undefined ? {} : { next }),
              ...(total === undefined ? {} : { total }),
            };
            return success({ value: page, revision });
          } finally {
            await meter.close();
          }
        }),
    };
  }

  return {
    isPublic,
    get: (id, askers = []) => guarded(() => summary(id, askers)),
    document: (id) => guarded(() => didDocument(id)),
    listByControllers: (controllers, limit) =>
      guarded(async () => {
        if (controllers.length === 0) return success([]);
        const equal = { controller: controllers };
        return list({ equal, times: {}, words: undefined, sort: newestFirst, count: false }, limit);
      }),
    findBySuffix: (suffix, limit, askers = []) =>
      guarded(async () => {
        const digits = suffix.toLowerCase();
        if (!SUFFIX.test(digits)) return fail("invalid_request", "Give the last 6 to 32 digits of the id");
        const found = await domainsBySuffix(database, digits, limit);
        return success(found.filter((record) => isShown(record, askers)).map(summaryOf));
      }),
    search: (text, limit) =>
      guarded(async () => {
        if (!isPublic.entities) return CLOSED;
        const query = readListQuery(new URLSearchParams({ q: text }));
        return query.ok ? list(query.value, limit) : fail("invalid_request", query.error.message);
      }),
    page: (limit, cursor = "") =>
      guarded(async () => {
        if (!isPublic.entities) return CLOSED;
        if (cursor !== "" && !isDomainId(cursor)) return fail("invalid_request", "Unknown cursor");
        const from = cursor === "" ? {} : { from: cursor };
        const request = { ...from, offset: 0, limit, reverse: false, count: false };
        const { records, next } = await domainRange(database, request);
        return success({ domains: records.map(summaryOf), ...(next === undefined ? {} : { next }) });
      }),
    count: () => guarded(async () => (isPublic.entities ? success(await countDomains(database)) : CLOSED)),
    ...readsOf(undefined),
    anonymous: readsOf(deployment),
  };
}

function summaryOf(record: DomainRecord): DomainSummary {
  const { id, type, status, verificationStatus, name, validUntil, controllers } = record;
  return {
    id,
    type,
    class: record.class,
    status,
    verification: verificationStatus,
    ...(name === null ? {} : { name }),
    ...(validUntil === null ? {} : { validUntil }),
    controllers,
  };
}
