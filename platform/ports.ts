/**
 * Interfaces through which one surface uses another's data. The owner implements each once; only `workers/index.ts`
 * knows both sides. Plain data or a Result, so that an implementation can also be remote.
 */
import type { JsonObject } from "./json.ts";
import type { Result } from "./result.ts";

export interface DomainSummary {
  readonly id: string;
  readonly type: string;
  readonly class: string;
  readonly status: string;
  readonly verification: string;
  readonly name?: string;
  /** RFC 3339, in UTC. */
  readonly validUntil?: string;
  readonly controllers: readonly string[];
}

export interface DomainPage {
  /** May be fewer than the limit if domains are large. */
  readonly domains: readonly DomainSummary[];
  /** The cursor of the next page; absent on the last one. */
  readonly next?: string;
}

/**
 * The domain registry for other surfaces. If the operator has closed public reads, single domains are shown only to
 * `askers` who control them: DIDs that have been authenticated.
 */
export interface DomainDirectory {
  get(id: string, askers?: readonly string[]): Promise<Result<DomainSummary>>;
  listByControllers(controllers: readonly string[], limit: number): Promise<Result<readonly DomainSummary[]>>;
  /** `suffix`: the last 6 to 32 hexadecimal digits of an id, in upper or lower case. */
  findBySuffix(suffix: string, limit: number, askers?: readonly string[]): Promise<Result<readonly DomainSummary[]>>;
  search(query: string, limit: number): Promise<Result<readonly DomainSummary[]>>;
  /** The DID document of a domain; a failure `gone` if it is deactivated. */
  document(id: string): Promise<Result<JsonObject>>;
  page(limit: number, cursor?: string): Promise<Result<DomainPage>>;
  count(): Promise<Result<number>>;
  /** A number that grows with every change of any domain. */
  revision(): Promise<Result<number>>;
}

/** A whole domain, as a chain node describes an entity and its DID document. It inherits nothing from its classes. */
export interface DomainEntity {
  readonly id: string;
  readonly type: string;
  readonly class: string;
  readonly status: "active" | "suspended" | "deactivated";
  readonly isVerified: boolean;
  /** RFC 3339, in UTC, like all times here. */
  readonly validFrom: string | null;
  readonly validUntil: string | null;
  readonly controllers: readonly string[];
  readonly relayerNode: string | null;
  readonly credentials: readonly string[];
  readonly accounts: readonly { readonly name: string; readonly address: string }[];
  /** The list members of the domain's DID document: items by name, with absolute ids. */
  readonly items: Readonly<Record<string, readonly JsonObject[]>>;
  /** Lists of texts: verification relationships, with absolute ids, and `alsoKnownAs`. */
  readonly texts: Readonly<Record<string, readonly string[]>>;
  readonly versionId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface EntityPageRequest {
  /** The first id of the page; absent for the start. */
  readonly from?: string;
  /** How many to skip before the page. */
  readonly offset: number;
  readonly limit: number;
  /** By id, descending. */
  readonly reverse: boolean;
  /** Whether to count all entities. */
  readonly count: boolean;
}

export interface EntityPage {
  /** May be fewer than the limit if domains are large. */
  readonly entities: readonly DomainEntity[];
  /** The first id of the next page. */
  readonly next?: string;
  readonly total?: number;
}

/** The registry in the form of a chain. Each result has the revision at which it was read. */
export interface EntitySource extends EntityReads {
  /** Whether domains as entities, and their DID documents, are public. */
  readonly isPublic: { readonly entities: boolean; readonly documents: boolean };
  /** Reads for anonymous callers, who share one budget; a failure `rate_limited` means that it is used up. */
  readonly anonymous: EntityReads;
}

export interface EntityReads {
  /** Undefined if there is no such entity. */
  entity(id: string): Promise<Result<AtRevision<DomainEntity | undefined>>>;
  entities(request: EntityPageRequest): Promise<Result<AtRevision<EntityPage>>>;
  revision(): Promise<Result<number>>;
}

export interface AtRevision<Value> {
  readonly value: Value;
  /** As in `DomainDirectory.revision`: 0 before the first change. */
  readonly revision: number;
}

export interface OracleQuestion {
  /** Makes asking idempotent: a repeated job id is one question. */
  readonly jobId: string;
  /** A UCAN invocation minted by the asker, base64 of its CAR. */
  readonly invocation: string;
  readonly text: string;
  /** The desired form of the answer, completing "Answer …": not part of the question, and not shown to the user. */
  readonly answerStyle?: string;
  /** UTF-16 units of the longest answer that the asker can show. */
  readonly longestAnswer?: number;
}

export type OracleAnswer =
  | { readonly state: "running" }
  | { readonly state: "answered"; readonly text: string }
  | { readonly state: "failed"; readonly reason: string };

/** Data of an erased person that is kept. */
export interface KeptPart {
  /** The data, as a noun phrase. */
  readonly what: string;
  /** The reason, and how long it is kept. */
  readonly why: string;
}

/** The oracle's users for the surface that knows who they are. */
export interface OracleUsers {
  /** Returns the data that is kept; undefined while a part of the oracle is unreachable. A caller can repeat it. */
  erase(did: string): Promise<readonly KeptPart[] | undefined>;
  /** The records of the user's copy, without its last line. */
  records(did: string): AsyncIterable<JsonObject>;
}

/** The oracle for other surfaces. */
export interface OraclePort {
  ask(question: OracleQuestion): Promise<Result<{ readonly jobId: string }>>;
  answer(jobId: string, invocation: string): Promise<Result<OracleAnswer>>;
}
