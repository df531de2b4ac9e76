/**
 * The registry as other surfaces see it: `DomainDirectory` and `EntitySource` over D1. Single domains are
 * in their effective state, lists in their stored state. Only workers/index.ts imports this.
 */
import { fail } from "../../platform/failure.ts";
import type { JsonObject } from "../../platform/json.ts";
import { describeThrown, type Logger } from "../../platform/log.ts";
import type { AtRevision, DomainDirectory, DomainEntity, DomainSummary, EntitySource } from "../../platform/ports.ts";
import { type Result, success } from "../../platform/result.ts";
import { didDocumentOf, entityOf } from "./domain/did-document.ts";
import { isDomainId } from "./domain/domain-id.ts";
import type { DomainRecord } from "./domain/domain.ts";
import { openableSurfaces, type OpenableSurface } from "./config.ts";
import { countDomains, domainRange, domainsBySuffix, domainsOf, OFFSET } from "./lists/directory.ts";
import { type DomainListQuery, readListQuery } from "./lists/domain-query.ts";
import { newestChange } from "./store/change-store.ts";
import { readEffective, readEffectiveAtRevision } from "./store/effective-domain.ts";

export interface DirectoryParts {
  readonly database: D1Database;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly log: Logger;
  /** `REGISTRY_PUBLIC_READS`; all when left out. */
  readonly publicReads?: readonly OpenableSurface[];
}

/** The least and the most that is typed of an id's 32 digits. */
const SUFFIX = /^[0-9a-f]{6,32}$/;

const NO_SUCH_DOMAIN = fail("not_found", "There is no such domain");

const CLOSED = fail("forbidden", "This registry is read with a key only");

const newestFirst: DomainListQuery["sort"] = { field: "createdAt", descending: true };

export function createDomainDirectory({
  database,
  clock,
  log,
  publicReads = openableSurfaces,
}: DirectoryParts): DomainDirectory & EntitySource {
  const isPublic = { entities: publicReads.includes("graphql"), documents: publicReads.includes("did") };

  /** What is not shown looks like what does not exist. */
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

  /** A deactivated domain is gone, as for DID resolution: its keys sign nothing any more. */
  async function didDocument(id: string): Promise<Result<JsonObject>> {
    const found = await one(id);
    if (!found.ok) return found;
    if (found.value.status === "deactivated") return fail("gone", "The domain is deactivated");
    return success(didDocumentOf(found.value));
  }

  async function list(query: DomainListQuery, limit: number): Promise<Result<readonly DomainSummary[]>> {
    return success((await domainsOf(database, query, limit)).map(summaryOf));
  }

  /** Storage that fails is a fault of its own; whoever asks tells its own client. */
  async function guarded<Value>(ask: () => Promise<Result<Value>>): Promise<Result<Value>> {
    try {
      return await ask();
    } catch (thrown) {
      log.error("directory-failed", { reason: describeThrown(thrown) });
      return fail("unavailable", "The domain registry cannot be reached now", { retryAfter: 1 });
    }
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
    revision: () => guarded(async () => success(await newestChange(database))),
    entity: (id) =>
      guarded(async () => {
        const found = isDomainId(id) ? await readEffectiveAtRevision(database, id, clock()) : undefined;
        return success<AtRevision<DomainEntity | undefined>>({
          value: found && entityOf(found.domain),
          revision: found?.revision ?? (await newestChange(database)),
        });
      }),
    entities: (request) =>
      guarded(async () => {
        if (request.offset > OFFSET) return fail("invalid_request", `offset is at most ${OFFSET}; use key`);
        const { records, next, total, revision } = await domainRange(database, request);
        const page = {
          entities: records.map(entityOf),
          ...(next === undefined ? {} : { next }),
          ...(total === undefined ? {} : { total }),
        };
        return success({ value: page, revision });
      }),
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
