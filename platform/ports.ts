/**
 * Interfaces over which one surface uses another's data. The owner implements each once; only
 * `workers/index.ts` knows both sides. Plain data or a Result, so that an implementation may also be remote.
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
  /** May be fewer than the limit where domains are large. */
  readonly domains: readonly DomainSummary[];
  /** The cursor of the next page; absent: this is the last one. */
  readonly next?: string;
}

/**
 * The domain registry as other surfaces see it. Where the operator has closed public reads, single domains are shown only to
 * `askers` who control them: DIDs that have proven themselves.
 */
export interface DomainDirectory {
  get(id: string, askers?: readonly string[]): Promise<Result<DomainSummary>>;
  listByControllers(controllers: readonly string[], limit: number): Promise<Result<readonly DomainSummary[]>>;
  /** `suffix`: the last 6 to 32 hexadecimal digits of an id, in any case. */
  findBySuffix(suffix: string, limit: number, askers?: readonly string[]): Promise<Result<readonly DomainSummary[]>>;
  search(query: string, limit: number): Promise<Result<readonly DomainSummary[]>>;
  /** The DID document of a domain; a failure `gone` when it is deactivated. */
  document(id: string): Promise<Result<JsonObject>>;
  page(limit: number, cursor?: string): Promise<Result<DomainPage>>;
  count(): Promise<Result<number>>;
  /** A number that grows with every change of any domain. */
  revision(): Promise<Result<number>>;
}

/** A whole domain, as a chain node tells of an entity and its DID document. Nothing in it is inherited from its classes. */
export interface DomainEntity {
  readonly id: string;
  readonly type: string;
  readonly class: string;
  readonly status: "active" | "suspended" | "deactivated";
  readonly isVerified: boolean;
  /** RFC 3339, in UTC, as all times here. */
  readonly validFrom: string | null;
  readonly validUntil: string | null;
  readonly controllers: readonly string[];
  readonly relayerNode: string | null;
  readonly credentials: readonly string[];
  readonly accounts: readonly { readonly name: string; readonly address: string }[];
  /** The members of the domain's DID document that are lists: items by name, ids absolute. */
  readonly items: Readonly<Record<string, readonly JsonObject[]>>;
  /** Lists of texts: verification relationships, with absolute ids, and `alsoKnownAs`. */
  readonly texts: Readonly<Record<string, readonly string[]>>;
  readonly versionId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface EntityPageRequest {
  /** The id that the page begins with; absent: the first. */
  readonly from?: string;
  /** How many to leave out before the page. */
  readonly offset: number;
  readonly limit: number;
  /** By id, descending. */
  readonly reverse: boolean;
  /** Whether to count all. */
  readonly count: boolean;
}

export interface EntityPage {
  /** May be fewer than the limit where domains are large. */
  readonly entities: readonly DomainEntity[];
  /** The id that the next page begins with. */
  readonly next?: string;
  readonly total?: number;
}

/** The registry as a chain would tell of it. Each answer comes with the revision that it was read at. */
export interface EntitySource extends EntityReads {
  /** Whether everybody may read them: domains as entities, and their DID documents. */
  readonly isPublic: { readonly entities: boolean; readonly documents: boolean };
  /** The same for callers who prove nothing: they share one budget, and a failure `rate_limited` says that it is used up. */
  readonly anonymous: EntityReads;
}

export interface EntityReads {
  /** Undefined when there is none. */
  entity(id: string): Promise<Result<AtRevision<DomainEntity | undefined>>>;
  entities(request: EntityPageRequest): Promise<Result<AtRevision<EntityPage>>>;
  revision(): Promise<Result<number>>;
}

export interface AtRevision<Value> {
  readonly value: Value;
  /** As `DomainDirectory.revision`: 0 while nothing has changed. */
  readonly revision: number;
}

export interface OracleQuestion {
  /** Makes asking idempotent: the same job id again is the same question. */
  readonly jobId: string;
  /** A UCAN invocation minted by the asker, base64 of its CAR. */
  readonly invocation: string;
  readonly text: string;
  /** How the answer is wanted, as the end of "Answer …": no part of the question, and not shown to the user. */
  readonly answerStyle?: string;
  /** UTF-16 units of the longest answer that the asker can show. */
  readonly longestAnswer?: number;
}

export type OracleAnswer =
  | { readonly state: "running" }
  | { readonly state: "answered"; readonly text: string }
  | { readonly state: "failed"; readonly reason: string };

/** The oracle as other surfaces see it. */
export interface OraclePort {
  ask(question: OracleQuestion): Promise<Result<{ readonly jobId: string }>>;
  answer(jobId: string, invocation: string): Promise<Result<OracleAnswer>>;
}
