/**
 * Interfaces over which one surface uses another's data (decisions 2.2). The owner implements each once; only
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
  readonly domains: readonly DomainSummary[];
  readonly next?: string;
}

/** The domain registry as other surfaces see it. */
export interface DomainDirectory {
  get(id: string): Promise<Result<DomainSummary>>;
  listByControllers(controllers: readonly string[], limit: number): Promise<Result<readonly DomainSummary[]>>;
  /** `suffix`: the last 6 to 32 hexadecimal digits of an id, in any case. */
  findBySuffix(suffix: string, limit: number): Promise<Result<readonly DomainSummary[]>>;
  search(query: string, limit: number): Promise<Result<readonly DomainSummary[]>>;
  /** The DID document of a domain. */
  document(id: string): Promise<Result<JsonObject>>;
  page(limit: number, cursor?: string): Promise<Result<DomainPage>>;
  count(): Promise<Result<number>>;
  /** A number that grows with every change of any domain. */
  revision(): Promise<Result<number>>;
}

export interface OracleQuestion {
  /** Makes asking idempotent: the same job id again is the same question. */
  readonly jobId: string;
  /** A UCAN invocation minted by the asker, base64 of its CAR. */
  readonly invocation: string;
  readonly text: string;
}

export type OracleAnswer =
  | { readonly state: "running" }
  | { readonly state: "answered"; readonly text: string }
  | { readonly state: "failed"; readonly reason: string };

/** The oracle as other surfaces see it. */
export interface OracleDesk {
  ask(question: OracleQuestion): Promise<Result<{ readonly jobId: string }>>;
  answer(jobId: string, invocation: string): Promise<Result<OracleAnswer>>;
}
