/** What saturates, and at which load: each hot object and table of the four targets, with D1 and with PostgreSQL. */
import type { Values } from "./limits.ts";
import { saturation, type Station } from "./queue.ts";

export interface Saturation {
  /** The object or table. */
  readonly what: string;
  readonly target: number;
  readonly unit: string;
  /** The load at which it is full, or at which its callers wait too long. */
  readonly at: number;
}

/** A load this many times above the target counts as without a limit. */
const FAR = 4;
const ARRIVALS = 20_000;
const SECONDS_PER_MINUTE = 60;
const SECONDS_PER_HOUR = 3_600;

export function saturations(values: Values): readonly Saturation[] {
  return [...registry(values), ...phone(values), ...chats(values), ...votes(values)];
}

function registry(values: Values): readonly Saturation[] {
  const { domains, domainBytes, d1Bytes, postgresBytes, changesPerSecond, d1StatementMs, postgresCommitMs } = values;
  const changes = (what: string, ms: number): Saturation => ({
    what,
    target: changesPerSecond,
    unit: "changes/s",
    at: saturatingRate(values, { name: what, servers: 1, serviceMs: () => ms }, changesPerSecond),
  });
  const full = (what: string, bytes: number): Saturation => ({
    what,
    target: domains,
    unit: "domains",
    at: Math.min(bytes / domainBytes, domains * FAR),
  });
  return [
    full("D1: size of the database", d1Bytes),
    full("PostgreSQL: size of the server", postgresBytes),
    changes("D1: batches of changes", d1StatementMs),
    // A change gets its number under a lock that is held until the commit, so that readers of the feed miss none.
    changes("PostgreSQL: the lock of the change feed", postgresCommitMs),
  ];
}

/** Each session writes its index row at its start and end, and adds its counts to the day's rows once. */
function phone(values: Values): readonly Saturation[] {
  const { stepsPerSecond, stepsPerSession, indexWritesPerSession, gatewayAddresses, objectRequests } = values;
  const { d1StatementMs, postgresStatementMs, postgresCommitMs, postgresCores, poolConnections } = values;
  /** `perStep` requests to the station for each step. */
  const steps = (what: string, station: Omit<Station, "name">, perStep: number): Saturation => ({
    what,
    target: stepsPerSecond,
    unit: "steps/s",
    at: saturatingRate(values, { name: what, ...station }, stepsPerSecond * perStep) / perStep,
  });
  const perSession = (count: number): number => count / stepsPerSession;
  const writes = indexWritesPerSession + 1;
  const constant = (ms: number) => (): number => ms;
  return [
    steps(
      "Rate limit: one object for each gateway address",
      { servers: gatewayAddresses, serviceMs: constant(1000 / objectRequests) },
      1,
    ),
    steps("D1: index and counts of sessions", { servers: 1, serviceMs: constant(d1StatementMs) }, perSession(writes)),
    steps(
      "PostgreSQL: the day's row of a counter",
      { servers: 1, serviceMs: constant(postgresCommitMs) },
      perSession(1),
    ),
    steps(
      "PostgreSQL: cores",
      { servers: postgresCores, serviceMs: constant(postgresStatementMs) },
      perSession(writes),
    ),
    steps(
      "Hyperdrive: connections",
      { servers: poolConnections, serviceMs: constant(postgresStatementMs + postgresCommitMs) },
      perSession(writes),
    ),
  ];
}

/** Each open chat is a hibernating object; each message reads the preferences once. */
function chats(values: Values): readonly Saturation[] {
  const {
    openChats,
    messagesPerChatHour,
    d1StatementMs,
    postgresCores,
    postgresStatementMs,
    pingSeconds,
    objectRequests,
  } = values;
  const perChat = messagesPerChatHour / SECONDS_PER_HOUR;
  const reads = (what: string, servers: number, ms: number): Saturation => ({
    what,
    target: openChats,
    unit: "chats",
    at: saturatingRate(values, { name: what, servers, serviceMs: () => ms }, openChats * perChat) / perChat,
  });
  return [
    // The pings of one chat: far below the limit of its object, whatever the number of chats.
    {
      what: "Chat: one object for each session",
      target: openChats,
      unit: "chats",
      at: pingSeconds * objectRequests > 1 ? openChats * FAR : 0,
    },
    reads("D1: preferences of users", 1, d1StatementMs),
    reads("PostgreSQL: preferences of users", postgresCores, postgresStatementMs),
  ];
}

/** Votes on one proposal wait for each other, and each one sums the votes before it again. */
function votes(values: Values): readonly Saturation[] {
  const {
    votes: count,
    voteMinutes,
    d1StatementMs,
    postgresCommitMs,
    postgresStatementMs,
    tallyRowMs,
    replySeconds,
  } = values;
  const seconds = voteMinutes * SECONDS_PER_MINUTE;
  const ballots = (what: string, ms: number): Saturation => ({
    what,
    target: count,
    unit: `votes in ${voteMinutes} min`,
    at:
      saturation(
        (rate) => ({
          arrivals: Math.max(1, Math.round(rate * seconds)),
          rate,
          stations: [{ name: what, servers: 1, serviceMs: (before) => ms + before * tallyRowMs }],
        }),
        replySeconds * 1000,
        (count * FAR) / seconds,
      ) * seconds,
  });
  return [
    // A read, then the batch that stores the vote.
    ballots("D1: one proposal", 2 * d1StatementMs),
    ballots("PostgreSQL: the row of one proposal", postgresStatementMs + postgresCommitMs),
  ];
}

/** A short crowd can wait where a day cannot, so the rate never exceeds what the station does in a second. */
function saturatingRate({ replySeconds }: Values, station: Station, target: number): number {
  const capacity = (station.servers * 1000) / station.serviceMs(0);
  const highest = Math.min(target * FAR, capacity);
  return saturation((rate) => ({ arrivals: ARRIVALS, rate, stations: [station] }), replySeconds * 1000, highest);
}
