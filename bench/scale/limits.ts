/**
 * The parameters of the simulation: the load to reach, published limits with their source, and times that were measured or assumed.
 * `npm run bench -- --only scale --set NAME=VALUE` changes any of them.
 */

export interface Limit {
  readonly value: number;
  readonly unit: string;
  readonly about: string;
  /** Where the number comes from, with a date. */
  readonly source: string;
}

const D1 = "developers.cloudflare.com/d1/platform/limits, November 2026";
const OBJECTS = "developers.cloudflare.com/durable-objects/platform/limits, November 2026";
const HYPERDRIVE = "developers.cloudflare.com/hyperdrive/platform/limits, November 2026";
const OURS = "this repository";
const ASSUMED = "assumption";

const limit = (value: number, unit: string, about: string, source: string): Limit => ({ value, unit, about, source });

export const limits = {
  // The load to reach.
  domains: limit(10_000_000, "domains", "registered domains", "target"),
  stepsPerSecond: limit(50_000, "steps/s", "key presses of callers at the peak", "target"),
  openChats: limit(1_000_000, "chats", "open chat pages at the peak", "target"),
  votes: limit(10_000, "votes", "votes on one proposal", "target"),
  voteMinutes: limit(1, "min", "the time in which these votes arrive", ASSUMED),

  changesPerSecond: limit(100, "changes/s", "changes of domains at the peak", ASSUMED),

  // The shape of the load.
  domainBytes: limit(
    4_000,
    "bytes",
    "a new domain with its indexes; a later version takes 800",
    `${OURS}, docs/costs.md`,
  ),
  stepsPerSession: limit(12, "steps", "key presses of a session", `${OURS}, bench/measures/ussd-crowd.ts`),
  indexWritesPerSession: limit(2, "writes", "rows of the session index: at the first and the last step", OURS),
  gatewayAddresses: limit(4, "addresses", "addresses of telecom gateways, each counted by one object", ASSUMED),
  messagesPerChatHour: limit(10, "messages", "messages of an open chat in an hour", ASSUMED),
  pingSeconds: limit(180, "s", "pause between two pings of a chat page", `${OURS}, docs/costs.md`),
  answerSeconds: limit(10, "s", "duration of an answer", `${OURS}, docs/costs.md`),

  // Published limits.
  d1Bytes: limit(10e9, "bytes", "size of a D1 database", D1),
  d1StatementMs: limit(
    1,
    "ms",
    "a short statement or batch in D1, which runs one at a time",
    `${D1}: 1,000 a second at 1 ms`,
  ),
  objectRequests: limit(1_000, "requests/s", "requests to one Durable Object", `${OBJECTS}, FAQ: a soft limit`),
  poolConnections: limit(100, "connections", "connections of one Hyperdrive configuration, Workers Paid", HYPERDRIVE),

  // PostgreSQL, which has no published limits of this kind.
  postgresBytes: limit(
    64e12,
    "bytes",
    "storage of a large managed server",
    "docs.aws.amazon.com/AmazonRDS, November 2026",
  ),
  postgresStatementMs: limit(1, "ms", "a short statement in PostgreSQL with its way through Hyperdrive", ASSUMED),
  postgresCores: limit(16, "cores", "cores of the server, each busy with one statement", ASSUMED),
  postgresCommitMs: limit(
    2,
    "ms",
    "a commit that a standby in another zone confirms; its row locks last as long",
    ASSUMED,
  ),
  tallyRowMs: limit(0.0002, "ms", "reading one vote while a proposal is tallied again", ASSUMED),

  // The latency that a caller accepts.
  replySeconds: limit(2, "s", "the time in which 99 of 100 requests are answered", ASSUMED),
} satisfies Readonly<Record<string, Limit>>;

export type LimitName = keyof typeof limits;
export type Values = Readonly<Record<LimitName, number>>;

export const limitNames = Object.keys(limits) as readonly LimitName[];

export function valuesWith(changed: Readonly<Partial<Record<LimitName, number>>>): Values {
  return Object.fromEntries(limitNames.map((name) => [name, changed[name] ?? limits[name].value])) as Values;
}
